// A cell of 802.11n, ac or ax under full load, everything by flags; prints one line of key=value
// pairs: goodput_mbps and share-N of each station, aggregate, the mean number of MPDUs in a PPDU of
// data, ppdus, and wall_s.  Stations send datagrams up or get them down, or TCP does so over a wire
// of 10 Gbit/s behind the access point, which is an IP router.
//
// What ns-3 does by itself and the standard does not ask for is switched here: packets live for ever,
// agreements stand before the load begins, MPDUs are tried again for ever; --bar=1 has the
// BlockAckReq that ns-3 sends by default when a BlockAck is missing.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <chrono>
#include <cmath>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{
double g_from = 3.0;
std::vector<uint64_t> g_bytes;
uint64_t g_ppdus = 0;
uint64_t g_mpdus = 0;

void
Sunk(uint32_t station, Ptr<const Packet> packet, const Address&)
{
    if (Simulator::Now().GetSeconds() >= g_from)
    {
        g_bytes[station] += packet->GetSize();
    }
}

void
Began(WifiConstPsduMap psdus, WifiTxVector, double)
{
    if (Simulator::Now().GetSeconds() < g_from)
    {
        return;
    }
    for (const auto& each : psdus)
    {
        const WifiMacHeader& header = each.second->GetHeader(0);
        // Acknowledgments of TCP go by themselves or few at a time.
        if (header.IsQosData() && each.second->GetPayload(0)->GetSize() > 500)
        {
            g_ppdus++;
            g_mpdus += each.second->GetNMpdus();
        }
    }
}

std::vector<std::string>
Split(const std::string& text)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    std::string part;
    while (std::getline(stream, part, ','))
    {
        parts.push_back(part);
    }
    return parts;
}
} // namespace

int
main(int argc, char** argv)
{
    std::string standard = "n", mcs = "7", direction = "up", protocol = "udp";
    uint32_t stations = 1, width = 20, streams = 1, interval = 800, payload = 1472;
    uint32_t ampdu = 65535, amsdu = 0, window = 64, retries = 1000000, seed = 1, queue = 1000;
    bool rts = false, bar = false;
    double seconds = 6.0, offered = 100.0, delayMs = 1.0;
    CommandLine command;
    command.AddValue("standard", "n, ac or ax", standard);
    command.AddValue("mcs", "MCS within a stream: of all, or of each station, by commas", mcs);
    command.AddValue("stations", "number of stations", stations);
    command.AddValue("width", "MHz", width);
    command.AddValue("streams", "spatial streams", streams);
    command.AddValue("interval", "guard interval, ns", interval);
    command.AddValue("direction", "up or down", direction);
    command.AddValue("protocol", "udp or tcp", protocol);
    command.AddValue("payload", "bytes of a datagram", payload);
    command.AddValue("offered", "Mbit/s of datagrams for each station", offered);
    command.AddValue("ampdu", "longest A-MPDU, bytes; 0 for none", ampdu);
    command.AddValue("amsdu", "longest A-MSDU, bytes; 0 for none", amsdu);
    command.AddValue("window", "MPDUs of an agreement", window);
    command.AddValue("rts", "RTS before each PPDU of data", rts);
    command.AddValue("bar", "ask by BlockAckReq what became of a PPDU without BlockAck", bar);
    command.AddValue("retries", "how often an MPDU is tried", retries);
    command.AddValue("queue", "packets of a MAC's queue", queue);
    command.AddValue("delay", "one way over the wire, ms", delayMs);
    command.AddValue("seconds", "length of what counts, behind three seconds of warm-up", seconds);
    command.AddValue("seed", "seed", seed);
    command.Parse(argc, argv);
    bool isTcp = protocol == "tcp", isUp = direction == "up";
    RngSeedManager::SetRun(seed);

    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize",
                       QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, queue)));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(retries));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(retries));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold",
                       UintegerValue(rts ? 200 : 4692480));
    Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(bar));
    Config::SetDefault("ns3::HeConfiguration::MpduBufferSize", UintegerValue(window));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4194304));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4194304));

    NodeContainer server, point, stas, all;
    server.Create(1);
    point.Create(1);
    stas.Create(stations);
    all.Add(point);
    all.Add(stas);

    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FixedRssLossModel", "Rss", DoubleValue(-30));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.Set("ChannelSettings", StringValue("{0, " + std::to_string(width) + ", BAND_5GHZ, 0}"));
    phy.Set("Antennas", UintegerValue(streams));
    phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(streams));
    phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(streams));

    WifiHelper wifi;
    wifi.SetStandard(standard == "n"    ? WIFI_STANDARD_80211n
                     : standard == "ac" ? WIFI_STANDARD_80211ac
                                        : WIFI_STANDARD_80211ax);
    auto mode = [&](uint32_t within) {
        std::string head = standard == "n" ? "Ht" : standard == "ac" ? "Vht" : "He";
        uint32_t number = standard == "n" ? 8 * (streams - 1) + within : within;
        return head + "Mcs" + std::to_string(number);
    };
    std::vector<std::string> each = Split(mcs);
    auto install = [&](WifiMacHelper& mac, Ptr<Node> node, uint32_t within) {
        wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                     "DataMode", StringValue(mode(within)),
                                     "ControlMode", StringValue("OfdmRate24Mbps"));
        return wifi.Install(phy, mac, node);
    };
    auto macOf = [&](const std::string& type) {
        WifiMacHelper mac;
        mac.SetType(type,
                    "Ssid", SsidValue(Ssid("cell")),
                    "BE_MaxAmpduSize", UintegerValue(ampdu),
                    "BE_MaxAmsduSize", UintegerValue(amsdu));
        return mac;
    };
    WifiMacHelper ofPoint = macOf("ns3::ApWifiMac"), ofStation = macOf("ns3::StaWifiMac");
    NetDeviceContainer devices = install(ofPoint, point.Get(0), std::stoul(each[0]));
    for (uint32_t station = 0; station < stations; station++)
    {
        devices.Add(install(ofStation, stas.Get(station), std::stoul(each[station % each.size()])));
    }
    for (uint32_t number = 0; number < devices.GetN(); number++)
    {
        Ptr<WifiNetDevice> device = DynamicCast<WifiNetDevice>(devices.Get(number));
        Ptr<HtConfiguration> ht = device->GetHtConfiguration();
        ht->SetShortGuardIntervalSupported(interval == 400);
        if (standard == "ax")
        {
            device->GetHeConfiguration()->SetAttribute("GuardInterval",
                                                       TimeValue(NanoSeconds(interval)));
        }
    }

    MobilityHelper mobility;
    mobility.SetPositionAllocator("ns3::RandomDiscPositionAllocator",
                                  "X", DoubleValue(0), "Y", DoubleValue(0),
                                  "Rho", StringValue("ns3::ConstantRandomVariable[Constant=1]"));
    mobility.Install(all);

    PointToPointHelper cable;
    cable.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    cable.SetChannelAttribute("Delay", TimeValue(Seconds(delayMs / 1e3)));
    cable.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("10000p"));
    NetDeviceContainer wired = cable.Install(server.Get(0), point.Get(0));

    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.Install(server);
    internet.Install(all);
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.1.0.0", "255.255.255.0");
    Ipv4InterfaceContainer wiredAt = addresses.Assign(wired);
    addresses.SetBase("10.2.0.0", "255.255.0.0");
    Ipv4InterfaceContainer airAt = addresses.Assign(devices);
    TrafficControlHelper control;
    control.Uninstall(devices);
    control.Uninstall(wired);
    Ipv4StaticRoutingHelper routing;
    auto defaultVia = [&](Ptr<Node> node, Ipv4Address gateway) {
        routing.GetStaticRouting(node->GetObject<Ipv4>())->SetDefaultRoute(gateway, 1);
    };
    defaultVia(server.Get(0), wiredAt.GetAddress(1));
    NeighborCacheHelper neighbours;
    neighbours.PopulateNeighborCache(airAt);

    g_bytes.assign(stations, 0);
    std::string factory = isTcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
    for (uint32_t station = 0; station < stations; station++)
    {
        defaultVia(stas.Get(station), airAt.GetAddress(0));
        // Datagrams begin and end on the air; TCP has the wire besides.
        Ptr<Node> far = isTcp ? server.Get(0) : point.Get(0);
        Ipv4Address farAt = isTcp ? wiredAt.GetAddress(0) : airAt.GetAddress(0);
        Ptr<Node> from = isUp ? stas.Get(station) : far;
        Ptr<Node> to = isUp ? far : stas.Get(station);
        InetSocketAddress at(isUp ? farAt : airAt.GetAddress(1 + station), 5000 + station);
        PacketSinkHelper sink(factory, InetSocketAddress(Ipv4Address::GetAny(), 5000 + station));
        ApplicationContainer sinks = sink.Install(to);
        sinks.Get(0)->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Sunk, station));
        double begins = 0.5 + 1.0 * station / stations;
        if (isTcp)
        {
            BulkSendHelper source(factory, at);
            source.SetAttribute("SendSize", UintegerValue(1448));
            source.Install(from).Start(Seconds(begins));
            continue;
        }
        // A few datagrams set up the agreement while the air is quiet.
        OnOffHelper first(factory, at), flood(factory, at);
        first.SetConstantRate(DataRate(1000000), payload);
        ApplicationContainer few = first.Install(from);
        few.Start(Seconds(begins));
        few.Stop(Seconds(begins + 0.05));
        flood.SetConstantRate(DataRate(uint64_t(offered * 1e6)), payload);
        flood.Install(from).Start(Seconds(1.8 + 0.0001 * station));
    }
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Phy/PhyTxPsduBegin",
                                  MakeCallback(&Began));

    Simulator::Stop(Seconds(g_from + seconds));
    auto begin = std::chrono::steady_clock::now();
    Simulator::Run();
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    double sum = 0;
    for (uint64_t bytes : g_bytes)
    {
        sum += bytes;
    }
    std::cout << "goodput_mbps=" << sum * 8 / seconds / 1e6;
    for (uint32_t station = 0; station < stations; station++)
    {
        std::cout << " share-" << 1 + station << "=" << g_bytes[station] / sum;
    }
    std::cout << " aggregate=" << (g_ppdus ? double(g_mpdus) / g_ppdus : 0) << " ppdus=" << g_ppdus
              << " wall_s=" << wall.count() << std::endl;
    Simulator::Destroy();
    return 0;
}
