#include "sim/world/bodies.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "geometry/math/vec3d.h"
#include "sim/world/world.h"

namespace coalesce {

SolidTables::SolidTables(Exec& e)
    : SolidState(e),
      slotOf(e),
      memberRow(e),
      memberCluster(e),
      rowStart(e, 1),
      rowMembers(e),
      chunks(e),
      clusters(e),
      anchors(e) {
    rowStart.fillZero();
}

ClusterTables SolidTables::view() const {
    return {slotOf.view(),        memberRow.view(), memberRestPosition.view(),
            memberCluster.view(), rowStart.view(),  rowMembers.view(),
            chunks.view(),        clusters.view()};
}

namespace {

float squaredDistance(Vec3 a, Vec3 b) {
    const Vec3 d = a - b;
    return dot(d, d);
}

Vec3 centerOf(std::span<const BodySample> samples, const Cluster& cluster) {
    double x = 0, y = 0, z = 0;
    for (const uint32_t i : cluster) x += samples[i].x.x, y += samples[i].x.y, z += samples[i].x.z;
    const double n = std::max<size_t>(cluster.size(), 1);
    return {static_cast<float>(x / n), static_cast<float>(y / n), static_cast<float>(z / n)};
}

// members per chunk: many short sums side by side, and few of them to be folded by one thread
uint32_t chunkSize(size_t members) {
    const auto side = static_cast<uint32_t>(std::sqrt(static_cast<double>(members)));
    return std::max(16u, (side + 15) / 16 * 16);
}

// Everything that bodies add to the tables, collected on the host and appended at once.
struct NewTables {
    std::vector<uint32_t> memberRow, memberCluster, rowEnd, rowMembers;
    std::vector<ClusterChunk> chunks;
    std::vector<ClusterConstants> clusters;
    std::vector<Vec4> restPosition, clusterRestCenter, memberRestPosition, rowSdf;
    std::vector<ClusterPose> pose;
    std::vector<float> massScale;
    std::vector<DistanceConstraint> springs;
    std::vector<ClothTriangle> triangles;
    std::vector<VolumeConstraint> volumeConstraints;
};

// [m³] inside the triangles of a body; 0 when they are not closed.
double enclosedVolume(const BodyDef& body) {
    if (body.triangles.empty()) return 0;
    TriangleMesh mesh;
    for (const BodySample& s : body.samples) mesh.vertices.push_back(s.x);
    mesh.triangles.assign(body.triangles.begin(), body.triangles.end());
    return isClosed(mesh) ? volumeOf(mesh) : 0;
}

// The springs and triangles of a body whose rows begin at `row`.
void addLinks(NewTables& t, const BodyDef& body, uint32_t row, uint32_t material) {
    for (const ClothEdge& link : body.links)
        t.springs.push_back({row + link.a, row + link.b, link.length, holdOf(material, link.kind)});
    for (const Triangle& corners : body.triangles)
        t.triangles.push_back({row + corners[0], row + corners[1], row + corners[2], material});
}

// What the tables hold of a body at rest.
struct RestTables {
    std::vector<Vec4> restPosition, rowSdf;        // by row
    std::vector<Vec4> memberRestPosition;          // by member
    std::vector<Vec4> clusterRestCenter;           // by match
    std::vector<ClusterPose> pose;                 // by match: where it is born
    std::vector<std::vector<uint32_t>> membersOf;  // of each row, counted from the body's first
};

RestTables restOf(const BodyDef& body, std::span<const Cluster> clusters,
                  const MaterialProperties& properties, float mass) {
    RestTables t;
    const size_t n = body.samples.size();
    for (const BodySample& s : body.samples) {
        t.restPosition.push_back(vec4(s.x, properties.spacing));
        // the field of a body says nothing of how its own particles meet
        t.rowSdf.push_back(vec4(s.normal, body.selfCollide ? 2 * kNoSdf : s.distance));
    }
    std::vector<uint32_t> clustersOf(n, 0);
    for (const Cluster& cluster : clusters)
        for (const uint32_t i : cluster) {
            CHECK_LT(i, n);
            ++clustersOf[i];
        }
    t.membersOf.resize(n);
    uint32_t member = 0;
    for (const Cluster& cluster : clusters) {
        double share = 0, x = 0, y = 0, z = 0;  // mass in particles, and its center
        for (const uint32_t i : cluster) {
            const double w = 1.0 / clustersOf[i];
            share += w;
            x += w * body.samples[i].x.x, y += w * body.samples[i].x.y, z += w * body.samples[i].x.z;
            t.membersOf[i].push_back(member++);
            t.memberRestPosition.push_back(vec4(body.samples[i].x, static_cast<float>(w * mass)));
        }
        const Vec3 rest{static_cast<float>(x / share), static_cast<float>(y / share),
                        static_cast<float>(z / share)};
        t.clusterRestCenter.push_back(vec4(rest, 0.0f));
        t.pose.push_back(
            {body.position + rotate(body.rotation, rest), static_cast<float>(share * mass), body.rotation});
    }
    return t;
}

// The particles of a body as it is born.
std::vector<ParticleDef> particlesOf(const BodyDef& body, uint32_t group, float mass) {
    std::vector<ParticleDef> particles;
    Cluster everyone(body.samples.size());
    for (uint32_t i = 0; i < everyone.size(); ++i) everyone[i] = i;
    const Vec3 center = centerOf(body.samples, everyone);
    const size_t attributes = body.values.size() / body.samples.size();
    for (size_t i = 0; i < body.samples.size(); ++i) {
        const Vec3 x = body.samples[i].x, arm = rotate(body.rotation, x - center);
        particles.push_back({.x = body.position + rotate(body.rotation, x),
                             .v = body.velocity + cross(body.angularVelocity, arm),
                             .material = body.material,
                             .group = group,
                             .inverseMass = 1 / (body.masses.empty() ? mass : body.masses[i]),
                             .values = body.values.subspan(i * attributes, attributes)});
    }
    return particles;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& what) {
    to.insert(to.end(), what.begin(), what.end());
}

// Writes over a part of a table.
template <class T>
void overwrite(Buffer<T>& table, size_t first, std::span<const T> part, Exec& exec) {
    CHECK_LE(first + part.size(), table.size());
    if (!part.empty()) exec.copyFromHost(table.view().data + first, part.data(), part.size_bytes());
}

}  // namespace

std::vector<Cluster> makeClusters(std::span<const BodySample> samples, float spacing, float radius) {
    std::vector<Vec3> centers;
    for (const BodySample& s : samples) {
        const bool covered = std::any_of(centers.begin(), centers.end(),
                                         [&](Vec3 c) { return squaredDistance(c, s.x) < spacing * spacing; });
        if (!covered) centers.push_back(s.x);
    }
    // every sample is within `spacing` of a center, so this radius leaves none out
    const float reach = std::max(radius, spacing);
    std::vector<Cluster> clusters;
    for (const Vec3 c : centers) {
        Cluster cluster;
        for (size_t i = 0; i < samples.size(); ++i)
            if (squaredDistance(c, samples[i].x) <= reach * reach)
                cluster.push_back(static_cast<uint32_t>(i));
        clusters.push_back(std::move(cluster));
    }
    return clusters;
}

Skin makeSkin(TriangleMesh mesh, std::span<const BodySample> samples, std::span<const Cluster> clusters) {
    Skin skin{std::move(mesh), {}, {}};
    if (clusters.size() < 2) return skin;
    // a sample's share in its clusters falls to 0 at their rims
    struct Share {
        uint32_t cluster;
        float weight;
    };
    std::vector<std::vector<Share>> sharesOf(samples.size());
    for (size_t c = 0; c < clusters.size(); ++c) {
        const Vec3 center = centerOf(samples, clusters[c]);
        float rim = 0;
        for (const uint32_t i : clusters[c]) rim = std::max(rim, squaredDistance(samples[i].x, center));
        for (const uint32_t i : clusters[c])
            sharesOf[i].push_back({static_cast<uint32_t>(c),
                                   rim > 0 ? 1.05f - squaredDistance(samples[i].x, center) / rim : 1.0f});
    }
    for (std::vector<Share>& shares : sharesOf) {
        float sum = 0;
        for (const Share& s : shares) sum += s.weight;
        for (Share& s : shares) s.weight /= sum;
    }
    std::vector<std::pair<float, uint32_t>> near;   // squared distance, sample
    std::vector<float> total(clusters.size(), 0);   // weight of each cluster
    std::vector<std::pair<float, uint32_t>> heavy;  // minus weight, cluster
    for (const Vec3 p : skin.mesh.vertices) {
        // a vertex goes with the samples about it, and so with their clusters: another limb that is near in
        // space has no say. The next sample and the next cluster would come in with weight 0.
        near.clear();
        for (size_t i = 0; i < samples.size(); ++i)
            near.emplace_back(squaredDistance(samples[i].x, p), static_cast<uint32_t>(i));
        const size_t around = std::min<size_t>(12, near.size());
        std::partial_sort(near.begin(), near.begin() + static_cast<ptrdiff_t>(around), near.end());
        const float end = 1.001f * near[around - 1].first + 1e-20f;
        heavy.clear();
        for (size_t k = 0; k < around; ++k) {
            const float share = 1 - near[k].first / end;
            for (const Share& s : sharesOf[near[k].second]) {
                if (total[s.cluster] == 0) heavy.emplace_back(0.0f, s.cluster);
                total[s.cluster] += share * share * s.weight;
            }
        }
        for (auto& [weight, cluster] : heavy) weight = -total[cluster], total[cluster] = 0;
        const size_t used = std::min<size_t>(4, heavy.size()), seen = std::min<size_t>(5, heavy.size());
        std::partial_sort(heavy.begin(), heavy.begin() + static_cast<ptrdiff_t>(seen), heavy.end());
        const float least = heavy.size() > 4 ? -heavy[4].first : 0.0f;
        std::array<uint32_t, 4> cluster{};
        std::array<float, 4> weight{};
        float sum = 0;
        for (size_t k = 0; k < used; ++k) {
            cluster[k] = heavy[k].second;
            weight[k] = -heavy[k].first - 0.999f * least;
            sum += weight[k];
        }
        for (float& w : weight) w /= sum;
        skin.clusters.push_back(cluster);
        skin.weights.push_back(weight);
    }
    return skin;
}

uint32_t World::addBodies(std::span<const BodyDef> spawned) {
    std::vector<ParticleDef> newParticles;
    std::vector<Group> newGroups;
    std::vector<SolidBody> newBodies;
    NewTables t;
    const auto firstBody = static_cast<uint32_t>(bodies.size());
    // loose particles may name groups that nobody described
    const size_t firstGroup = births > 0 ? std::max<size_t>(groups.size(), groupsNamed) : groups.size();
    uint32_t id = nextId;
    uint32_t row = static_cast<uint32_t>(solids.rows()),
             cluster = static_cast<uint32_t>(solids.clusters.size()),
             member = static_cast<uint32_t>(solids.memberRow.size()),
             chunk = static_cast<uint32_t>(solids.chunks.size());
    for (size_t b = 0; b < spawned.size(); ++b) {
        const BodyDef& body = spawned[b];
        const std::string where = fmt::format("body '{}'", body.name);
        if (body.material >= materials.size())
            fail(Exit::Scene, where, fmt::format("material {} does not exist", body.material),
                 fmt::format("The world has {} materials.", materials.size()));
        if (body.samples.empty())
            fail(Exit::Scene, where, "it has no particles", "Make it larger, or its spacing finer.");
        const MaterialProperties& properties = materials[body.material].properties;
        const float atRest = particleMass(properties, parameters.solver.planar);
        const float mass = body.particleMass > 0 ? body.particleMass : atRest;
        const auto group = static_cast<uint32_t>(firstGroup + newGroups.size());
        const auto n = static_cast<uint32_t>(body.samples.size());
        // every corner of cloth can be split once
        const uint32_t spares = body.triangles.empty() ? 0 : n;
        Cluster everyone(n);
        for (uint32_t i = 0; i < n; ++i) everyone[i] = i;
        for (const ClothEdge& link : body.links) CHECK(link.a < n && link.b < n && link.a != link.b);
        std::span<const Cluster> clusters;
        if (isShapeMatched(properties))
            clusters = body.clusters.empty() ? std::span<const Cluster>(&everyone, 1) : body.clusters;

        newGroups.push_back({.name = body.name,
                             .material = body.material,
                             .first = id,
                             .count = n + spares,
                             .body = firstBody + static_cast<uint32_t>(b),
                             .selfCollide = body.selfCollide});
        newBodies.push_back(
            {.group = group,
             .firstRow = row,
             .rows = n + spares,
             .spares = spares,
             .firstCluster = cluster,
             .clusters = static_cast<uint32_t>(clusters.size()),
             .firstTriangle = static_cast<uint32_t>(solids.triangles.size() + t.triangles.size()),
             .triangles = static_cast<uint32_t>(body.triangles.size()),
             .volume = mass / atRest,
             .skin = body.skin});

        append(newParticles, particlesOf(body, group, mass));
        newParticles.back().reserved = spares;
        id += n + spares;
        const RestTables rest = restOf(body, clusters, properties, mass);
        append(t.restPosition, rest.restPosition);
        append(t.rowSdf, rest.rowSdf);
        append(t.memberRestPosition, rest.memberRestPosition);
        append(t.clusterRestCenter, rest.clusterRestCenter);
        append(t.pose, rest.pose);
        const uint32_t firstMember = member;
        for (const Cluster& members : clusters) {
            const uint32_t size = chunkSize(members.size()), begin = member;
            for (const uint32_t i : members) {
                ++member;
                t.memberRow.push_back(row + i);
                t.memberCluster.push_back(cluster);
            }
            const uint32_t firstChunk = chunk;
            for (uint32_t k = begin; k < member; k += size, ++chunk)
                t.chunks.push_back({cluster, k, std::min(k + size, member)});
            t.clusters.push_back({firstChunk, chunk - firstChunk, body.material});
            t.massScale.push_back(1);
            ++cluster;
        }
        for (const std::vector<uint32_t>& members : rest.membersOf) {
            if (members.empty() && !clusters.empty())
                fail(Exit::Scene, where, "a particle belongs to no cluster", "Make clusterRadius larger.");
            for (const uint32_t m : members) t.rowMembers.push_back(firstMember + m);
            t.rowEnd.push_back(static_cast<uint32_t>(solids.rowMembers.size() + t.rowMembers.size()));
        }
        addLinks(t, body, row, body.material);
        const auto firstTriangle =
            static_cast<uint32_t>(solids.triangles.size() + t.triangles.size() - body.triangles.size());
        if (const double volume = enclosedVolume(body); volume > 0)
            t.volumeConstraints.push_back({row,
                                           n + spares,
                                           firstTriangle,
                                           static_cast<uint32_t>(body.triangles.size()),
                                           body.material,
                                           static_cast<float>(volume),
                                           {}});
        for (uint32_t k = 0; k < spares; ++k) {
            t.restPosition.push_back(vec4(Vec3{0, 0, 0}, properties.spacing));
            t.rowSdf.push_back(vec4(Vec3{0, 1, 0}, 2 * kNoSdf));
            t.rowEnd.push_back(t.rowEnd.back());
        }
        row += n + spares;
    }
    addParticles(newParticles);  // fails before anything has changed
    groups.resize(firstGroup);
    groups.insert(groups.end(), newGroups.begin(), newGroups.end());
    bodies.insert(bodies.end(), newBodies.begin(), newBodies.end());
    solids.memberRow.append(t.memberRow);
    solids.memberCluster.append(t.memberCluster);
    solids.memberRestPosition.append(t.memberRestPosition);
    solids.rowStart.append(t.rowEnd);
    solids.rowMembers.append(t.rowMembers);
    solids.chunks.append(t.chunks);
    solids.clusters.append(t.clusters);
    solids.restPosition.append(t.restPosition);
    solids.rowSdf.append(t.rowSdf);
    solids.clusterRestCenter.append(t.clusterRestCenter);
    solids.pose.append(t.pose);
    solids.massScale.append(t.massScale);
    solids.springs.append(t.springs);
    solids.triangles.append(t.triangles);
    solids.volumeConstraints.append(t.volumeConstraints);
    solids.topology += t.springs.size() + t.triangles.size() > 0;
    solids.slotOf.resize(row);
    return firstBody;
}

// A copy of a prefab as it is born.
static BodyDef birthOf(const Prefab& prefab, const SpawnPoint& copy) {
    return {.name = prefab.name,
            .material = prefab.material,
            .samples = prefab.samples,
            .clusters = prefab.clusters,
            .particleMass = prefab.particleMass,
            .position = copy.x,
            .rotation = copy.rotation,
            .velocity = copy.v,
            .angularVelocity = copy.spin,
            .selfCollide = prefab.selfCollide,
            .values = prefab.values,
            .skin = prefab.skin};
}

uint32_t World::addCopy(const SpawnPoint& copy) {
    CHECK_LT(copy.prefab, prefabs.size());
    const Prefab& prefab = prefabs[copy.prefab];
    const BodyDef birth = birthOf(prefab, copy);
    const uint32_t first = nextId;
    const auto free = std::find_if(spawning.slots.begin(), spawning.slots.end(), [&](const BodySlot& slot) {
        return !slot.alive && slot.prefab == copy.prefab;
    });
    if (free == spawning.slots.end()) {
        const auto member = static_cast<uint32_t>(solids.count(TableOf::members));
        const uint32_t body = addBodies({&birth, 1});
        groups[bodies[body].group].attributes = prefab.attributes;
        spawning.slots.push_back({copy.prefab, body, member, 1, first});
        return static_cast<uint32_t>(spawning.slots.size() - 1);
    }
    // the tables of its like are as long, so this one takes the place of the last
    SolidBody& body = bodies[free->body];
    const MaterialProperties& properties = materials[prefab.material].properties;
    const float mass =
        birth.particleMass > 0 ? birth.particleMass : particleMass(properties, parameters.solver.planar);
    Cluster everyone(birth.samples.size());
    for (uint32_t i = 0; i < everyone.size(); ++i) everyone[i] = i;
    const std::span<const Cluster> clusters =
        birth.clusters.empty() ? std::span<const Cluster>(&everyone, 1) : birth.clusters;
    Group& group = groups[body.group];
    group.body = Group::kNoBody;  // for addParticles, which takes loose ones only
    addParticles(particlesOf(birth, body.group, mass));
    group.body = free->body, group.first = first;
    const RestTables rest = restOf(birth, clusters, properties, mass);
    overwrite<Vec4>(solids.restPosition, body.firstRow, rest.restPosition, exec);
    overwrite<Vec4>(solids.rowSdf, body.firstRow, rest.rowSdf, exec);
    overwrite<Vec4>(solids.memberRestPosition, free->firstMember, rest.memberRestPosition, exec);
    overwrite<Vec4>(solids.clusterRestCenter, body.firstCluster, rest.clusterRestCenter, exec);
    overwrite<ClusterPose>(solids.pose, body.firstCluster, rest.pose, exec);
    overwrite<float>(solids.massScale, body.firstCluster, std::vector<float>(body.clusters, 1.0f), exec);
    body.gone = false;
    free->alive = 1, free->first = first;
    return static_cast<uint32_t>(free - spawning.slots.begin());
}

void World::setSlots(std::span<const BodySlot> slots) {
    if (!spawning.slots.empty()) {
        // they were added last
        const BodySlot& first = spawning.slots[0];
        const SolidBody body = bodies[first.body];
        const size_t chunk = solids.clusters.download()[body.firstCluster].firstChunk;
        groups.resize(body.group);
        groupsNamed = body.group;
        bodies.resize(first.body);
        solids.memberRow.resize(first.firstMember);
        solids.memberCluster.resize(first.firstMember);
        solids.memberRestPosition.resize(first.firstMember);
        solids.rowMembers.resize(first.firstMember);
        solids.rowStart.resize(body.firstRow + 1);
        solids.restPosition.resize(body.firstRow);
        solids.rowSdf.resize(body.firstRow);
        solids.slotOf.resize(body.firstRow);
        solids.chunks.resize(chunk);
        solids.clusters.resize(body.firstCluster);
        solids.clusterRestCenter.resize(body.firstCluster);
        solids.pose.resize(body.firstCluster);
        solids.massScale.resize(body.firstCluster);
        spawning.slots.clear();
    }
    for (const BodySlot& slot : slots) {
        CHECK_EQ(slot.body, bodies.size());
        nextId = 0;                        // the caller brings particles and ids
        addCopy({.prefab = slot.prefab});  // a slot of its own: none is free yet
        SolidBody& body = bodies[slot.body];
        body.gone = !slot.alive;
        groups[body.group].first = slot.first;
    }
    spawning.slots.assign(slots.begin(), slots.end());
}

void World::addSprings(std::span<const DistanceConstraint> springs) {
    if (springs.empty()) return;
    for (const DistanceConstraint& s : springs)
        CHECK(s.a < solids.rows() && s.b < solids.rows() && s.a != s.b);
    solids.springs.append(springs);
    ++solids.topology;
}

std::vector<BodyState> bodyStates(const World& world) {
    const std::vector<uint32_t> id = world.particles.id.download();
    const std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
    const std::vector<ClusterPose> pose = world.solids.pose.download();
    const std::vector<Vec4> members = world.solids.memberRestPosition.download();
    const std::vector<uint32_t> memberRow = world.solids.memberRow.download();
    std::vector<double> massOf(world.solids.rows(), 0);
    for (size_t k = 0; k < members.size(); ++k) massOf[memberRow[k]] += members[k].w;
    std::vector<size_t> slotOf(world.nextId, SIZE_MAX);
    for (size_t i = 0; i < id.size(); ++i) slotOf[id[i]] = i;
    // cloth and ropes have no members; what is pinned weighs nothing
    for (const SolidBody& body : world.bodies)
        for (uint32_t k = 0; k < (body.clusters == 0 ? body.rows : 0); ++k)
            if (const size_t i = slotOf[world.groups[body.group].first + k]; i != SIZE_MAX && x[i].w > 0)
                massOf[body.firstRow + k] = 1.0 / x[i].w;

    std::vector<BodyState> states;
    for (const SolidBody& body : world.bodies) {
        const Group& group = world.groups[body.group];
        double mass = 0;
        Vec3d center, momentum;
        const auto forEachParticle = [&](auto&& visit) {
            for (uint32_t k = 0; k < body.rows; ++k)
                if (const size_t i = slotOf[group.first + k]; i != SIZE_MAX)
                    visit(massOf[body.firstRow + k], toDouble(xyz(x[i])), toDouble(xyz(v[i])));
        };
        forEachParticle([&](double m, const Vec3d& xi, const Vec3d& vi) {
            mass += m, center += m * xi, momentum += m * vi;
        });
        BodyState s;
        if (body.clusters > 0) s.rotation = pose[body.firstCluster].rotation;
        if (mass > 0) {
            center /= mass;
            // L = Σ m r × v, and the inertia I = Σ m (r² − r rᵀ)
            Vec3d L;
            Eigen::Matrix3d I;
            forEachParticle([&](double m, const Vec3d& xi, const Vec3d& vi) {
                const Vec3d r = xi - center;
                L += m * cross(r, vi);
                I += m * (dot(r, r) * Eigen::Matrix3d::Identity() - r * r.transpose());
            });
            // I ω = L; a rod or a point has no inertia about its axis: a small multiple of 1 is added
            I += (1e-9 * I.trace() + 1e-300) * Eigen::Matrix3d::Identity();
            s.mass = mass;
            s.center = toFloat(center);
            s.momentum = toFloat(momentum);
            s.velocity = float(1 / mass) * s.momentum;
            s.angularMomentum = toFloat(L);
            s.angularVelocity = toFloat(I.ldlt().solve(L));
        }
        states.push_back(s);
    }
    return states;
}

BodyLoad loadBetween(const BodyState& before, const BodyState& after, double seconds, Vec3 gravity) {
    const auto rate = static_cast<float>(1 / seconds), mass = static_cast<float>(after.mass);
    return {rate * (after.momentum - before.momentum) - mass * gravity,
            rate * (after.angularMomentum - before.angularMomentum)};
}

}  // namespace coalesce
