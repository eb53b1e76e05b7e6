// Nodes whose records have SV_DispatchGrid, and which launch by it or not. DXC 1.9.2602.17: -T lib_6_8
struct Job
{
    uint first;
    uint2 tiles : SV_DispatchGrid;
    uint last;
};

RWByteAddressBuffer result : register(u0);

// An entry point with a fixed grid.
[Shader("node")]
[NodeIsProgramEntry]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(4, 2, 1)]
[NumThreads(8, 1, 1)]
void begin(DispatchNodeInputRecord<Job> job, uint3 id : SV_DispatchThreadID,
           [MaxRecords(1)] NodeOutput<Job> fixed_inside,
           [MaxRecords(1)] NodeOutput<Job> by_record,
           [MaxRecords(1)] NodeOutput<Job> one,
           [MaxRecords(2)][NodeID("mixed")][NodeArraySize(2)] NodeOutputArray<Job> mixed)
{
    result.Store(id.x * 4, job.Get().first + job.Get().tiles.x);
    GroupNodeOutputRecords<Job> a = fixed_inside.GetGroupNodeOutputRecords(1);
    a.Get() = job.Get();
    a.OutputComplete();
    GroupNodeOutputRecords<Job> b = by_record.GetGroupNodeOutputRecords(1);
    b.Get() = job.Get();
    b.OutputComplete();
    GroupNodeOutputRecords<Job> c = one.GetGroupNodeOutputRecords(1);
    c.Get() = job.Get();
    c.OutputComplete();
    GroupNodeOutputRecords<Job> d = mixed[id.x & 1].GetGroupNodeOutputRecords(1);
    d.Get() = job.Get();
    d.OutputComplete();
}

[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(2, 1, 1)]
[NumThreads(8, 1, 1)]
void fixed_inside(DispatchNodeInputRecord<Job> job)
{
    result.Store(64, job.Get().last);
}

[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeMaxDispatchGrid(4, 4, 1)]
[NumThreads(8, 1, 1)]
void by_record(DispatchNodeInputRecord<Job> job)
{
    result.Store(68, job.Get().last);
}

[Shader("node")]
[NodeLaunch("thread")]
void one(ThreadNodeInputRecord<Job> job)
{
    result.Store(72, job.Get().tiles.y);
}

// Shares the input of a node that launches by the record.
[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(3, 1, 1)]
[NumThreads(8, 1, 1)]
[NodeShareInputOf("by_record")]
void fixed_share(DispatchNodeInputRecord<Job> job)
{
    result.Store(76, job.Get().tiles.x);
}

// Shares the input of a node with a fixed grid, and launches by the record.
[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeMaxDispatchGrid(4, 4, 1)]
[NumThreads(8, 1, 1)]
[NodeShareInputOf("fixed_inside")]
void share_by_record(DispatchNodeInputRecord<Job> job)
{
    result.Store(80, job.Get().tiles.x);
}

// An array of both kinds.
[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeMaxDispatchGrid(4, 4, 1)]
[NumThreads(8, 1, 1)]
[NodeID("mixed", 0)]
void mixed_by_record(DispatchNodeInputRecord<Job> job)
{
    result.Store(84, job.Get().tiles.x);
}

[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(2, 2, 1)]
[NumThreads(8, 1, 1)]
[NodeID("mixed", 1)]
void mixed_fixed(DispatchNodeInputRecord<Job> job)
{
    result.Store(88, job.Get().tiles.x);
}
