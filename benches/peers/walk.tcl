# The scenario of Janevski and Petrov, with video at a constant rate: n3 walks from bs1 to bs0 with an FTP.
# usage: ns walk.tcl Tahoe|Reno|Newreno|Sack1|Vegas retries queue metres_per_second seed
lassign $argv variant retries queue speed seed
source [file join [file dirname [info script]] shadowed.tcl]
configure $retries $seed 4.0

set ns [new Simulator]
$ns node-config -addressType hierarchical
AddrParams set domain_num_ 3
AddrParams set cluster_num_ {4 1 1}
AddrParams set nodes_num_ {1 1 1 1 3 3}
set topo [new Topography]
$topo load_flatgrid 600 600
create-god 6
$ns trace-all [open /dev/null w]
foreach i {0 1 2 3} {set a($i) [$ns node 0.$i.0]}
$ns node-config -mobileIP ON
radios $ns $topo $queue
set bs(0) [$ns node 1.0.0]
set bs(1) [$ns node 2.0.0]
$ns node-config -wiredRouting OFF
set n(3) [$ns node 2.0.2]
[$n(3) set regagent_] set home_agent_ [AddrParams addr2id [$bs(1) node-addr]]
$ns node-config -mobileIP OFF
foreach {i of address} {0 0 1.0.1 1 0 1.0.2 2 1 2.0.1} {
    set n($i) [$ns node $address]
    $n($i) base-station [AddrParams addr2id [$bs($of) node-addr]]
}
place $bs(0) 230 230
place $bs(1) 330 230
place $n(0) 171.41 225.85
place $n(1) 172.81 230.97
place $n(2) 389.2 227.39
place $n(3) 338.13 231
$ns at 55 "$n(3) setdest 170.01 220.1 $speed"
foreach {i delay} {1 10ms 2 20ms 3 30ms} {$ns duplex-link $a($i) $a(0) 100Mb $delay DropTail}
foreach i {0 1} {$ns duplex-link $a(0) $bs($i) 100Mb 10ms DropTail}

# 275.2 and 61.759 kbit/s, in datagrams of 512 bytes.
datagrams $ns $bs(0) $n(0) 512 0.014883721 0.1
datagrams $ns $a(1) $n(1) 200 0.05 10
datagrams $ns $n(1) $a(1) 42 0.06 10.1
datagrams $ns $a(2) $n(2) 512 0.066322317 15
datagrams $ns $n(2) $a(2) 512 0.066322317 15.1
set tcp [ftp $ns $variant $a(3) $n(3) 35]

# When its home agent has it abroad, and when not.
set log {}
foreach name {encap-route clear-reg} {
    set body [Agent/MIPBS info instbody $name]
    Agent/MIPBS instproc $name [Agent/MIPBS info instargs $name] \
        "global log ns; lappend log \[\$ns now\] $name\n$body"
}
proc finish {} {
    global tcp log
    set at 35
    set abroad 0.0
    set state clear-reg
    foreach {time what} [concat $log 110 end] {
        if {$time > 35} {
            if {$state eq "encap-route"} {set abroad [expr {$abroad + $time - $at}]}
            set at $time
        }
        set state $what
    }
    puts "goodput=[expr {[$tcp set ack_] * 512 * 8 / 75e6}] abroad=[expr {$abroad / 75}]"
    exit 0
}
$ns at 110 finish
$ns run
