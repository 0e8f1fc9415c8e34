# One station so many metres from its base station, behind a wire of 40 ms.
# usage: ns hop.tcl udp|Tahoe|Reno|Newreno|Sack1|Vegas retries metres seed
lassign $argv variant retries metres seed
source [file join [file dirname [info script]] shadowed.tcl]
configure $retries $seed 4.0
# A route that is learned near by and not forgotten: what is compared is the hop.
Agent/DSDV set perup_ 1000

set ns [new Simulator]
$ns node-config -addressType hierarchical
AddrParams set domain_num_ 2
AddrParams set cluster_num_ {1 1}
AddrParams set nodes_num_ {1 2}
set topo [new Topography]
$topo load_flatgrid 600 600
create-god 2
$ns trace-all [open /dev/null w]
set server [$ns node 0.0.0]
radios $ns $topo 50
set base [$ns node 1.0.0]
$ns node-config -wiredRouting OFF
set station [$ns node 1.0.1]
$station base-station [AddrParams addr2id [$base node-addr]]
place $base 100 100
place $station 101 100
$ns at 4 "$station set X_ [expr {100 + $metres}]"
$ns duplex-link $server $base 100Mb 40ms DropTail

if {$variant eq "udp"} {
    # 512 bytes and the headers of IP and UDP, which ns-2 does not add; more than the air carries.
    set sink [datagrams $ns $server $station 540 0.0002 5]
    proc segments {} {global sink; $sink set npkts_}
} else {
    set tcp [ftp $ns $variant $server $station 5]
    proc segments {} {global tcp; $tcp set ack_}
}
proc finish {} {
    global before
    puts "goodput=[expr {([segments] - $before) * 512 * 8 / 60e6}]"
    exit 0
}
$ns at 10 {set before [segments]}
$ns at 70 finish
$ns run
