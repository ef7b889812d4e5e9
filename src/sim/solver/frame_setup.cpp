#include "sim/solver/frame_setup.h"

#include "sim/solver/capacity.h"
#include "sim/velocity/splashes.h"

namespace coalesce {

namespace {

void uploadMaterials(World& world, DeviceWorld& device, double dt) {
    std::vector<MaterialConstants> materials = materialConstants(world, dt);
    CHECK(!materials.empty());
    CHECK_LE(materials.size(), size_t{kMaxMaterials});
    device.summary = summarize(materials);
    // drops differ from the other particles of their material
    device.summary.hasSplashes = hasSplashes(world);
    if (device.summary.hasSplashes) device.summary.uniform = false;
    device.materials.set(std::move(materials));
}

}  // namespace

void beginFrame(World& world, DeviceWorld& device, double dt, int substeps) {
    uploadMaterials(world, device, dt);
    device.groups.set(groupConstants(world));
    device.forceFields.set(fieldConstants(world, world.time));
    device.shapes.upload(world, world.shapes, dt, substeps);
    device.boundary.upload(world, device.materials.host());
    planCapacities(world, device);
    clearStatus(device);
}

void keepSlip(World& world, const DeviceWorld& device) {
    Buffer<Vec4>& slip = world.particles.slip;
    const size_t wanted = device.summary.hasSolids && remembersSlip(world.parameters) ? world.count() : 0;
    if (slip.size() == wanted) return;
    slip.resizeDiscard(wanted);
    slip.fillZero();
}

void clearStatus(DeviceWorld& device) {
    const StatusBlock clean;
    device.status.upload({&clean, 1});
    device.shapes.clearTallies();
}

StatusBlock readStatus(const World& world, DeviceWorld& device) {
    StatusBlock status;
    const Exec::Download downloads[] = {{&status, device.status.view().data, sizeof status},
                                        device.shapes.downloadTallies()};
    world.exec.copyToHost(downloads);
    return status;
}

}  // namespace coalesce
