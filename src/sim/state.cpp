#include "sim/state.h"

#include <cstring>
#include <fstream>
#include <unordered_set>

#include "core/for_each.h"
#include "core/hash.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "kernels/status.h"

namespace coalesce {

namespace {

// ---- hash ----

HD uint64_t wordOf(uint32_t a) {
    return a;
}
HD uint64_t wordOf(float a) {
    return static_cast<uint32_t>(a == 0 ? 0 : asInt(a));  // −0 counts as +0
}

// Adds one array's words to the particles' hashes. `lane` makes equal words in different arrays differ.
template <class T>
struct HashArray {
    View<const T> array;
    View<uint64_t> hash;  // updated
    View<uint32_t> bad;   // [1], raised to id + 1 of a particle that is not finite
    View<const uint32_t> id;
    uint64_t lane;

    HD void operator()(int i) const {
        uint64_t h = hash[i];
        if constexpr (std::is_same_v<T, Vec4>) {
            const Vec4 a = array[i];
            if (!isFinite(a.x) || !isFinite(a.y) || !isFinite(a.z) || !isFinite(a.w))
                noteMax(&bad[0], id[i] + 1);
            h = mixIn(h, wordOf(a.x) << 32 | wordOf(a.y));
            h = mixIn(h, (wordOf(a.z) << 32 | wordOf(a.w)) + lane);
        } else {
            h = mixIn(h, wordOf(array[i]) + lane);
        }
        hash[i] = h;
    }
};

struct StartHash {
    View<const uint32_t> id;
    View<uint64_t> hash;  // written
    HD void operator()(int i) const { hash[i] = mix(id[i]); }
};

}  // namespace

uint64_t stateHash(World& world) {
    const auto n = static_cast<int64_t>(world.count());
    Exec& exec = world.exec;
    Scratch::Scope scratch(exec);
    const View<uint64_t> hash = scratch.take<uint64_t>("hash.particles", n);
    Buffer<uint64_t> sum(exec, 1);
    Buffer<uint32_t> bad(exec, 1);
    bad.fillZero();
    forEach(exec, "hash", n, StartHash{world.particles.id.view(), hash});
    uint64_t lane = 1;
    forEachArray(world.particles, [&]<class T>(Buffer<T>& array, const ArrayInfo& info) {
        if (info.role == ArrayRole::State)
            forEach(exec, "hash", n,
                    HashArray<T>{array.view(), hash, bad.view(), world.particles.id.view(), lane++ << 40});
    });
    reduceSum(exec, "hash", hash, sum.view());
    if (const uint32_t first = bad.download()[0])
        fail(Exit::Simulation, "state hash", fmt::format("particle {} is not finite", first - 1),
             "Often too few substeps for the speeds. Try --set solver.substeps=4.");
    uint64_t time;
    std::memcpy(&time, &world.time, sizeof time);
    uint64_t h = sum.download()[0];
    for (const uint64_t word :
         {static_cast<uint64_t>(n), world.step, time, static_cast<uint64_t>(world.nextId)})
        h = mixIn(h, word);
    return h;
}

// ---- save and load ----

namespace {

constexpr char kMagic[8] = {'C', 'o', 'a', 'l', 'S', 't', '0', '1'};
constexpr uint32_t kEndianness = 0x01020304;

struct Header {
    char magic[8];
    uint32_t endianness;
    uint32_t arrays;
    uint64_t manifest;
    uint64_t scene;  // names of materials and shapes, resolution of the materials
    uint64_t particles, step, frame, births, deaths, nextId;
    double time;
    uint64_t checksum;  // of everything above
};
static_assert(sizeof(Header) == 96);

uint64_t checksum(const void* data, size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    uint64_t h = bytes;
    for (; bytes >= 8; p += 8, bytes -= 8) {
        uint64_t word;
        std::memcpy(&word, p, 8);
        h = mixIn(h, word);
    }
    uint64_t rest = 0;
    std::memcpy(&rest, p, bytes);
    return mixIn(h, rest);
}

uint64_t sceneFingerprint(const World& world) {
    uint64_t h = 0;
    for (const Material& m : world.materials) {
        // of other resolution, the particles would be of another size than they were saved with
        h = mixIn(h, hashText(m.name));
        h = mixIn(h, wordOf(m.properties.spacing) << 32 | wordOf(m.properties.supportRatio));
    }
    for (const Shape& s : world.shapes) h = mixIn(h, hashText(s.name));
    return mixIn(h, world.materials.size() << 32 | world.shapes.size());
}

constexpr uint32_t kArrays = 0
#define ARRAY(T, name, unit, role, about) +1
#include "sim/particles.def"
    ;

// The particles of a file, before they are let into a world.
struct HostParticles {
#define ARRAY(T, name, unit, role, about) std::vector<T> name;
#include "sim/particles.def"
};

void validate(const World& world, const Header& header, const HostParticles& p,
              const std::function<void(const std::string&)>& refuse) {
    std::unordered_set<uint32_t> seen;
    for (size_t i = 0; i < header.particles; ++i) {
        if (p.id[i] >= header.nextId || !seen.insert(p.id[i]).second)
            refuse(fmt::format("particle {} has an impossible or repeated id {}", i, p.id[i]));
        if (materialOf(p.phase[i]) >= world.materials.size())
            refuse(
                fmt::format("particle {} has material {}, which the scene lacks", i, materialOf(p.phase[i])));
        if (!isFinite(xyz(p.x[i])) || !isFinite(p.x[i].w) || p.x[i].w < 0 || !isFinite(xyz(p.v[i])) ||
            !isFinite(p.v[i].w))
            refuse(fmt::format("particle {} is not finite", i));
    }
}

}  // namespace

void saveState(const World& world, const std::filesystem::path& file) {
    Header header{};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.endianness = kEndianness;
    header.arrays = kArrays;
    header.manifest = manifestHash();
    header.scene = sceneFingerprint(world);
    header.particles = world.count();
    header.step = world.step, header.frame = world.frame, header.time = world.time;
    header.births = world.births, header.deaths = world.deaths, header.nextId = world.nextId;
    header.checksum = checksum(&header, offsetof(Header, checksum));

    std::filesystem::path part = file;
    part += ".part";
    std::ofstream out(part, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&header), sizeof header);
    forEachArray(world.particles, [&](const auto& array, const ArrayInfo&) {
        const auto host = array.download();
        const size_t bytes = host.size() * sizeof(host[0]);
        const uint64_t sum = checksum(host.data(), bytes);
        out.write(reinterpret_cast<const char*>(&sum), sizeof sum);
        out.write(reinterpret_cast<const char*>(host.data()), static_cast<std::streamsize>(bytes));
    });
    out.close();
    std::error_code error;
    if (out) std::filesystem::rename(part, file, error);
    if (!out || error) {
        std::error_code ignored;
        std::filesystem::remove(part, ignored);
        fail(Exit::Output, file.string(), "the state could not be written",
             "Check the folder, its rights and the free space.");
    }
}

void loadState(World& world, const std::filesystem::path& file) {
    const auto refuse = [&](const std::string& why) {
        fail(Exit::Scene, file.string(), "this saved state is refused: " + why,
             "The world is as it was before.");
    };
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in) fail(Exit::Scene, file.string(), "cannot be opened", "Check the path.");
    const auto bytes = static_cast<uint64_t>(in.tellg());
    in.seekg(0);

    Header header{};
    if (bytes < sizeof header || !in.read(reinterpret_cast<char*>(&header), sizeof header))
        refuse("it is shorter than a header");
    if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) refuse("it is not a saved state of Coalesce");
    if (header.endianness != kEndianness) refuse("it was written on a machine of other byte order");
    if (header.checksum != checksum(&header, offsetof(Header, checksum))) refuse("its header is damaged");
    if (header.manifest != manifestHash() || header.arrays != kArrays)
        refuse("it was written by a version of Coalesce with other parameters or arrays");
    if (header.scene != sceneFingerprint(world))
        refuse("it belongs to a scene with other materials or shapes");
    if (header.particles > 0xffffffffu || header.nextId > 0xffffffffu || header.nextId < header.particles ||
        !(header.time >= 0) || header.time > 1e12)
        refuse("its counts are impossible");
    const uint64_t expected =
        sizeof header + kArrays * sizeof(uint64_t) + header.particles * World::stateBytesPerParticle();
    if (bytes != expected) refuse(fmt::format("it has {} bytes where {} are expected", bytes, expected));

    // read and check everything before the world is touched
    HostParticles host;
    forEachArray(host, [&]<class T>(std::vector<T>& array, const ArrayInfo& info) {
        array.resize(header.particles);
        uint64_t sum = 0;
        in.read(reinterpret_cast<char*>(&sum), sizeof sum);
        in.read(reinterpret_cast<char*>(array.data()),
                static_cast<std::streamsize>(array.size() * sizeof(T)));
        if (!in || sum != checksum(array.data(), array.size() * sizeof(T)))
            refuse(fmt::format("its array '{}' is damaged", info.name));
    });
    validate(world, header, host, refuse);

#define ARRAY(T, name, unit, role, about) world.particles.name.upload(host.name);
#include "sim/particles.def"
    world.step = header.step, world.frame = header.frame, world.time = header.time;
    world.births = header.births, world.deaths = header.deaths,
    world.nextId = static_cast<uint32_t>(header.nextId);
}

}  // namespace coalesce
