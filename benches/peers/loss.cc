// One TCP connection over a wire that loses data segments alone, for ns-3 3.37; prints one line of
// key=value pairs.
//
//   sender --(point to point)-- receiver
//
// --control names a congestion control of ns-3's, or is "Rules": ns-3's TcpLinuxReno written again,
// each of whose rules --rules may replace by the RFCs'. With none it gives what TcpLinuxReno does.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <sstream>
#include <string>

using namespace ns3;

namespace
{
// The RFCs' rules that are asked for:
//   exit        the ACK that ends recovery opens no window: what it acknowledges was delivered
//               during recovery (RFC 6675 §5 step A, RFC 5681 §3.2 step 6)
//   count       the count of acknowledged bytes starts anew when the window falls
//   slow-start  an ACK adds one segment at most in slow start (RFC 5681 (2))
//   flight      ssthresh is half of what is outstanding, not of the window (RFC 5681 (4))
//   backoff     a doubled timeout stands until a round trip is measured (RFC 6298 §5)
std::set<std::string> g_rules;

bool
Holds(const std::string& rule)
{
    return g_rules.count(rule) > 0;
}

/// Whether ssthresh is asked for because the timer expired.
bool g_byTimer = false;

/// TcpLinuxReno, and what RFC 5681 has in its place.
class Rules : public TcpCongestionOps
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId t = TypeId("ns3::Rules").SetParent<TcpCongestionOps>().AddConstructor<Rules>();
        return t;
    }

    std::string GetName() const override
    {
        return "Rules";
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<Rules>(this);
    }

    /// ns-3 tells of the end of a recovery before it counts the ACK that ends it.
    void CwndEvent(Ptr<TcpSocketState>, const TcpSocketState::TcpCAEvent_t event) override
    {
        m_leaves = m_leaves || event == TcpSocketState::CA_EVENT_COMPLETE_CWR;
    }

    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segments) override
    {
        bool leaves = m_leaves;
        m_leaves = false;
        if (leaves && Holds("exit"))
        {
            return;
        }
        uint32_t mss = tcb->m_segmentSize;
        if (tcb->m_cWnd < tcb->m_ssThresh)
        {
            uint32_t counted = Holds("slow-start") ? std::min(segments, 1u) : segments;
            uint32_t grown = std::min(tcb->m_cWnd.Get() + counted * mss, tcb->m_ssThresh.Get());
            segments -= (grown - tcb->m_cWnd) / mss;
            tcb->m_cWnd = grown;
            if (Holds("slow-start"))
            {
                return;
            }
        }
        if (tcb->m_cWnd >= tcb->m_ssThresh)
        {
            AvoidCongestion(tcb, segments);
        }
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t) override
    {
        if (Holds("count"))
        {
            m_count = 0;
        }
        uint32_t base = tcb->m_cWnd;
        if (Holds("flight"))
        {
            // What limited transmit has sent does not count (RFC 3042 §2): the window bounds the rest.
            uint32_t flight = tcb->m_highTxMark.Get() - tcb->m_lastAckedSeq;
            base = g_byTimer ? flight : std::min(flight, base);
        }
        return std::max(base / 2, 2 * tcb->m_segmentSize);
    }

  private:
    /// A segment for each window of them, and another if the last ACK left a whole window.
    void AvoidCongestion(Ptr<TcpSocketState> tcb, uint32_t segments)
    {
        uint32_t window = std::max(tcb->m_cWnd.Get() / tcb->m_segmentSize, 1u);
        if (m_count >= window)
        {
            m_count = 0;
            tcb->m_cWnd += tcb->m_segmentSize;
        }
        m_count += segments;
        uint32_t more = m_count / window;
        m_count -= more * window;
        tcb->m_cWnd += more * tcb->m_segmentSize;
    }

    bool m_leaves = false;
    uint32_t m_count = 0;
};

/// ns-3's socket, whose timeouts are counted and may obey RFC 6298.
class Sender : public TcpSocketBase
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId t = TypeId("ns3::Sender").SetParent<TcpSocketBase>().AddConstructor<Sender>();
        return t;
    }

    uint64_t m_timeouts = 0;

    /// The state behind a line of the trace, in segments.
    std::string State() const
    {
        std::ostringstream out;
        double mss = m_tcb->m_segmentSize;
        out << "cwnd " << m_tcb->m_cWnd / mss << " ssthresh " << m_tcb->m_ssThresh / mss << " pipe "
            << m_txBuffer->BytesInFlight() / mss << " "
            << TcpSocketState::TcpCongStateName[m_tcb->m_congState];
        return out.str();
    }

  protected:
    void ReTxTimeout() override
    {
        m_timeouts++;
        g_byTimer = true;
        TcpSocketBase::ReTxTimeout();
        g_byTimer = false;
        m_doubled = m_rto;
        m_measured = m_rtt->GetNSamples();
    }

    /// ns-3 forgets the doubling with any new ACK, be it of what was sent twice.
    void NewAck(const SequenceNumber32& ack, bool restarts) override
    {
        TcpSocketBase::NewAck(ack, restarts);
        bool isDoubled = m_doubled > Time(0) && m_rtt->GetNSamples() == m_measured;
        if (!isDoubled || !Holds("backoff"))
        {
            m_doubled = Time(0);
            return;
        }
        m_rto = m_doubled;
        if (restarts && m_retxEvent.IsRunning())
        {
            m_retxEvent.Cancel();
            m_retxEvent = Simulator::Schedule(m_rto, &Sender::ReTxTimeout, this);
        }
    }

  private:
    Time m_doubled{0};
    uint32_t m_measured = 0;
};

/// Takes out data segments by chance or by their number from 1, and nothing else.
class DataLoss : public ErrorModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId t = TypeId("ns3::DataLoss").SetParent<ErrorModel>();
        return t;
    }

    double m_probability = 0;
    std::set<uint64_t> m_listed;
    uint64_t m_seen = 0, m_lost = 0;

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        // Headers with all options are shorter, segments of data longer.
        if (packet->GetSize() <= 100)
        {
            return false;
        }
        m_seen++;
        bool isLost = m_luck->GetValue() < m_probability || m_listed.count(m_seen) > 0;
        m_lost += isLost;
        return isLost;
    }

    void DoReset() override
    {
    }

    Ptr<UniformRandomVariable> m_luck = CreateObject<UniformRandomVariable>();
};

const uint32_t MSS = 1460;
uint64_t g_bytes = 0;

void
Fill(Ptr<Socket> socket, uint32_t)
{
    while (socket->GetTxAvailable() >= MSS)
    {
        socket->Send(Create<Packet>(MSS));
    }
}

void
Sunk(Ptr<const Packet> packet, const Address&)
{
    g_bytes += packet->GetSize();
}

void
Traced(std::string way, Ptr<const Packet> packet, const TcpHeader& h, Ptr<const TcpSocketBase> s)
{
    std::cout << Simulator::Now().GetSeconds() << " " << way << " seq " << h.GetSequenceNumber()
              << " bytes " << packet->GetSize() << " ack " << h.GetAckNumber() << " "
              << DynamicCast<const Sender>(s)->State() << "\n";
}

std::set<std::string>
Split(const std::string& list)
{
    std::set<std::string> parts;
    std::istringstream rest(list);
    for (std::string part; std::getline(rest, part, ',');)
    {
        parts.insert(part);
    }
    return parts;
}
} // namespace

int
main(int argc, char** argv)
{
    double loss = 0, rttMs = 100, rateMbps = 100, seconds = 300;
    uint32_t seed = 1, buffer = 1 << 20;
    std::string drop, rules, control = "Rules";
    bool trace = false;
    CommandLine cmd;
    cmd.AddValue("loss", "probability of each data segment to be lost", loss);
    cmd.AddValue("drop", "numbers of data segments to be lost, with commas", drop);
    cmd.AddValue("control", "a congestion control of ns-3's, or Rules", control);
    cmd.AddValue("rules", "of exit,count,slow-start,flight,backoff", rules);
    cmd.AddValue("rttMs", "round trip of the wire", rttMs);
    cmd.AddValue("rateMbps", "of the wire", rateMbps);
    cmd.AddValue("buffer", "bytes of either end's buffer", buffer);
    cmd.AddValue("seconds", "simulated", seconds);
    cmd.AddValue("seed", "", seed);
    cmd.AddValue("trace", "print every segment, with the sender's state", trace);
    cmd.Parse(argc, argv);
    g_rules = Split(rules);

    RngSeedManager::SetSeed(12345);
    RngSeedManager::SetRun(seed);
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(MSS));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
    // RFC 5681 §3.1, for segments of this size.
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(3));
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(1000));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));

    NodeContainer nodes;
    nodes.Create(2);
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", DataRateValue(DataRate(uint64_t(rateMbps * 1e6))));
    wire.SetDeviceAttribute("Mtu", UintegerValue(1500));
    wire.SetChannelAttribute("Delay", TimeValue(Seconds(rttMs / 2e3)));
    wire.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("10000p"));
    NetDeviceContainer devices = wire.Install(nodes);
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(nodes);
    Ipv4AddressHelper address;
    address.SetBase("10.1.0.0", "255.255.255.0");
    Ipv4InterfaceContainer ends = address.Assign(devices);
    TrafficControlHelper().Uninstall(devices);

    Ptr<DataLoss> losses = CreateObject<DataLoss>();
    losses->m_probability = loss;
    for (const std::string& number : Split(drop))
    {
        losses->m_listed.insert(std::stoull(number));
    }
    DynamicCast<PointToPointNetDevice>(devices.Get(1))->SetReceiveErrorModel(losses);

    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
    ApplicationContainer receiver = sink.Install(nodes.Get(1));
    receiver.Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Sunk));

    // As TcpL4Protocol::CreateSocket makes one, but of our class.
    ObjectFactory law(control == "Rules" ? Rules::GetTypeId().GetName() : "ns3::" + control);
    Ptr<TcpL4Protocol> tcp = nodes.Get(0)->GetObject<TcpL4Protocol>();
    Ptr<Sender> sender = CreateObject<Sender>();
    sender->SetNode(nodes.Get(0));
    sender->SetTcp(tcp);
    sender->SetRtt(CreateObject<RttMeanDeviation>());
    sender->SetCongestionControlAlgorithm(law.Create<TcpCongestionOps>());
    sender->SetRecoveryAlgorithm(CreateObject<TcpClassicRecovery>());
    tcp->AddSocket(sender);
    sender->SetSendCallback(MakeCallback(&Fill));
    if (trace)
    {
        sender->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Traced, std::string("sends")));
        sender->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Traced, std::string("takes")));
    }
    sender->Bind();
    InetSocketAddress to(ends.GetAddress(1), 5000);
    Simulator::Schedule(Seconds(0), [=] { sender->Connect(to); });

    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    std::cout << "goodput_mbps=" << g_bytes * 8 / seconds / 1e6 << " segments=" << losses->m_seen
              << " lost=" << losses->m_lost << " timeouts=" << sender->m_timeouts << std::endl;
    Simulator::Destroy();
    return 0;
}
