# What hop.tcl and walk.tcl share: 802.11g as ns-2 can be told to have it, its shadowing, FTPs and
# datagrams of 512 bytes. ns-2 knows bits of PLCP and no symbols, so its frames are some
# microseconds shorter than the standard's; a SIFS of 16 us stands for one of 10 and a signal extension.
proc configure {retries seed sigma} {
    ns-random $seed
    foreach {name value} {
        dataRate_ 54Mb basicRate_ 6Mb PLCPDataRate_ 6Mb PreambleLength_ 96 PLCPHeaderLength_ 24
        CWMin_ 15 CWMax_ 1023 SlotTime_ 0.000009 SIFS_ 0.000016
    } {
        Mac/802_11 set $name $value
    }
    Mac/802_11 set LongRetryLimit_ $retries
    Propagation/Shadowing set pathlossExp_ 2.7
    Propagation/Shadowing set std_db_ $sigma
    Propagation/Shadowing set dist0_ 1.0
    # One of the 64 seeds that ns-2 has.
    Propagation/Shadowing set seed_ [expr {$seed % 64}]
    Agent/TCP set window_ 500
    Agent/TCP set packetSize_ 512
    Agent/UDP set packetSize_ 512
}

# Radios with a queue of so many packets. A trace file they insist on.
proc radios {ns topo queue} {
    $ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 \
        -ifqType Queue/DropTail/PriQueue -ifqLen $queue -antType Antenna/OmniAntenna \
        -propType Propagation/Shadowing -phyType Phy/WirelessPhy \
        -channel [new Channel/WirelessChannel] -topoInstance $topo -wiredRouting ON \
        -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF
}

proc place {node x y} {
    $node random-motion 0
    $node set X_ $x
    $node set Y_ $y
    $node set Z_ 0.0
}

# An FTP that runs from a time on.
proc ftp {ns variant from to start} {
    set tcp [new Agent/TCP[expr {$variant eq "Tahoe" ? "" : "/$variant"}]]
    set sink [new Agent/TCPSink[expr {$variant eq "Sack1" ? "/Sack1" : ""}]]
    $ns attach-agent $from $tcp
    $ns attach-agent $to $sink
    $ns connect $tcp $sink
    set app [new Application/FTP]
    $app attach-agent $tcp
    $ns at $start "$app start"
    return $tcp
}

# Datagrams of a size, one each so many seconds.
proc datagrams {ns from to size interval start} {
    set udp [new Agent/UDP]
    set sink [new Agent/LossMonitor]
    $udp set packetSize_ $size
    $ns attach-agent $from $udp
    $ns attach-agent $to $sink
    $ns connect $udp $sink
    set app [new Application/Traffic/CBR]
    $app set packetSize_ $size
    $app set interval_ $interval
    $app attach-agent $udp
    $ns at $start "$app start"
    return $sink
}
