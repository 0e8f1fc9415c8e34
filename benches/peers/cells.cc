// Cells of ten saturated stations in a square grid of 50 m: `cells COUNT SECONDS`.  The geometry,
// the losses and the traffic are those of the workload G of crates/lab/examples/bench.rs.
// Prints segments=N, datagrams delivered behind the first second, and wall_s=W.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <chrono>
#include <cmath>
#include <iostream>

using namespace ns3;

namespace
{
const uint32_t STATIONS = 10;
uint64_t g_datagrams = 0;

void
Sunk(Ptr<const Packet>, const Address&)
{
    if (Simulator::Now().GetSeconds() >= 1.0)
    {
        g_datagrams++;
    }
}
} // namespace

int
main(int argc, char** argv)
{
    uint32_t cells = std::stoul(argv[1]);
    double seconds = std::stod(argv[2]);
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));

    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel",
                               "Exponent", DoubleValue(3.5),
                               "ReferenceLoss", DoubleValue(40.0));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.Set("ChannelSettings", StringValue("{0, 22, BAND_2_4GHZ, 0}"));
    phy.Set("TxPowerStart", DoubleValue(15));
    phy.Set("TxPowerEnd", DoubleValue(15));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode", StringValue("DsssRate11Mbps"),
                                 "ControlMode", StringValue("DsssRate2Mbps"));

    uint32_t columns = std::ceil(std::sqrt(cells));
    for (uint32_t cell = 0; cell < cells; cell++)
    {
        NodeContainer nodes;
        nodes.Create(1 + STATIONS);
        Ptr<ListPositionAllocator> places = CreateObject<ListPositionAllocator>();
        for (uint32_t member = 0; member <= STATIONS; member++)
        {
            double radius = member == 0 ? 0 : 10;
            double angle = 2 * M_PI * member / STATIONS;
            places->Add(Vector(50.0 * (cell % columns) + radius * std::cos(angle),
                               50.0 * (cell / columns) + radius * std::sin(angle),
                               0));
        }
        MobilityHelper mobility;
        mobility.SetPositionAllocator(places);
        mobility.Install(nodes);

        Ssid ssid("cell-" + std::to_string(cell));
        WifiMacHelper mac;
        mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid));
        NetDeviceContainer devices = wifi.Install(phy, mac, nodes.Get(0));
        mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid));
        for (uint32_t member = 1; member <= STATIONS; member++)
        {
            devices.Add(wifi.Install(phy, mac, nodes.Get(member)));
        }

        InternetStackHelper internet;
        internet.SetIpv6StackInstall(false);
        internet.Install(nodes);
        Ipv4AddressHelper addresses;
        addresses.SetBase(("10." + std::to_string(cell) + ".0.0").c_str(), "255.255.0.0");
        Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
        TrafficControlHelper control;
        control.Uninstall(devices);
        NeighborCacheHelper neighbours;
        neighbours.PopulateNeighborCache(interfaces);

        PacketSinkHelper sink("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9));
        ApplicationContainer sinks = sink.Install(nodes.Get(0));
        sinks.Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Sunk));
        for (uint32_t member = 1; member <= STATIONS; member++)
        {
            OnOffHelper source("ns3::UdpSocketFactory",
                               InetSocketAddress(interfaces.GetAddress(0), 9));
            // Somewhat more than a tenth of a cell's capacity saturates it.
            source.SetConstantRate(DataRate(1000000), 1000);
            ApplicationContainer sources = source.Install(nodes.Get(member));
            sources.Start(Seconds(0.3 + 0.01 * member));
        }
    }

    Simulator::Stop(Seconds(seconds));
    auto begin = std::chrono::steady_clock::now();
    Simulator::Run();
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    std::cout << "segments=" << g_datagrams << " wall_s=" << wall.count() << std::endl;
    Simulator::Destroy();
    return 0;
}
