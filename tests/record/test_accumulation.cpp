// Blur of motion, lens, pixel and sun against their closed forms. Moments add up: the variance of a blurred
// profile is that of the sharp one and that of the blur.
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "bridge/moved_world.h"
#include "core/error.h"
#include "decode.h"
#include "record/png.h"
#include "record/recorder.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "sim/solver/solver.h"
#include "sim/state/state_hash.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 160, kHeight = 120;
constexpr double kDistance = 4, kFov = 30;                                         // [m], [deg]
const double kPixels = kHeight / 2 / std::tan(kFov / 2 * std::numbers::pi / 180);  // at 1 m, per meter

// A ball in front of a plain background, which moves along x; the camera looks along −z at its center.
std::filesystem::path ballScene(const TemporaryFolder& folder, const std::string& more,
                                const std::string& shapes) {
    writeText(folder / "ball.json", R"({ "world": { "gravity": [0, 0, 0] },
        "materials": { "grain": { "kind": "grains", "spacing": 0.3, "color": [0.7, 0.7, 0.7] } },
        "bodies": [{ "name": "ball", "material": "grain", "points": [[0, 0, 0]])" +
                                        more + R"( }], "shapes": [)" + shapes + R"(],
        "cameras": [{ "name": "main", "eye": [0, 0, 4], "look": [0, 0, 0], "fov": 30 }] })");
    return folder / "ball.json";
}

const std::string kFarAway = R"(, "center": [0, 0, -900])";

RecordOptions pictureOf(const std::filesystem::path& scene, const TemporaryFolder& folder) {
    RecordOptions o;
    o.scene = scene;
    o.exec.backend = "cpu";
    o.width = kWidth, o.height = kHeight;
    o.frames = 1;
    o.quiet = true;
    o.images = folder / "images";
    // nothing is so dark or bright that the tone curve bends
    o.draw.background = Background::Overcast;
    o.draw.ground = Ground::None;
    o.draw.exposure = 1.05f;
    o.draw.occlusion = false;
    o.draw.quality = Quality::Fast;
    o.accumulation.samples = 64;
    o.accumulation.shutter = 0;
    return o;
}

Decoded draw(const RecordOptions& o) {
    record(o);
    return decodePng(imageFile(o.images, o.firstImage.value_or(0)));
}

double linear(int code) {
    const double c = code / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

struct Profile {
    double mean = 0, variance = 0;  // [px], [px²] along x
};
// Of what differs from the same picture without the ball.
Profile profileOf(RecordOptions o) {
    const Decoded image = draw(o);
    const TemporaryFolder folder;
    o.scene = ballScene(folder, kFarAway, "");
    o.accumulation.focusOn.clear();
    o.images = folder / "images";
    const Decoded background = draw(o);
    double sum = 0, first = 0, second = 0;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            const double c = linear(image.at(x, y)[1]) - linear(background.at(x, y)[1]);
            sum += c, first += c * x, second += c * x * x;
        }
    const double mean = first / sum;
    return {mean, second / sum - mean * mean};
}

// A box of the width v T, T: time that the shutter is open.
TEST(Accumulation, MotionBlurHasTheWidthOfTheWayInTheShutter) {
    const double speed = 40,
                 way = speed / 120 * kPixels / kDistance;  // [m/s], [px] at 180 degrees and 60 images/s
    for (const bool isShape : {false, true}) {
        SCOPED_TRACE(isShape ? "shape" : "particle");
        const TemporaryFolder folder;
        const std::string velocity = R"(, "velocity": [40, 0, 0])";
        const std::filesystem::path scene =
            isShape ? ballScene(folder, kFarAway,
                                R"({ "name": "ball", "sphere": { "radius": 0.15 }, "position": [0, 0, 0],
                                     "color": [0.7, 0.7, 0.7])" +
                                    velocity + "}")
                    : ballScene(folder, velocity, "");
        RecordOptions o = pictureOf(scene, folder);
        const Profile sharp = profileOf(o);
        o.accumulation.shutter = 180;
        const Profile blurred = profileOf(o);
        EXPECT_NEAR(blurred.mean, sharp.mean, 0.3) << "open evenly about the time of the image";
        EXPECT_NEAR(blurred.variance - sharp.variance, way * way / 12, 0.03 * way * way / 12);
        o.accumulation.shutter = 90;
        EXPECT_NEAR(profileOf(o).variance - sharp.variance, way * way / 48, 0.06 * way * way / 48);
        // in slow motion half of the way is simulated in the same time of film
        o.choice.sets = {"solver.timeScale=0.5"};
        o.accumulation.shutter = 180;
        EXPECT_NEAR(profileOf(o).variance - sharp.variance, way * way / 48, 0.06 * way * way / 48);
    }
}

// The same width for a camera that passes a ball at rest.
TEST(Accumulation, CamerasMoveByTheirPathWithinTheShutter) {
    const TemporaryFolder folder;
    const std::filesystem::path scene = ballScene(folder, R"(, "center": [0.6666667, 0, 0])", "");
    std::string text = readText(scene);
    text.replace(text.find(R"("fov": 30)"), 9, R"("fov": 30, "spline": "linear", "keys": [
        { "t": 0, "eye": [0, 0, 4], "look": [0, 0, 0] }, { "t": 1, "eye": [40, 0, 4], "look": [40, 0, 0] }])");
    writeText(scene, text);
    RecordOptions o = pictureOf(scene, folder);
    o.frames = 2, o.firstImage = 1;  // the ball is in the middle of the second image
    const Profile sharp = profileOf(o);
    EXPECT_NEAR(sharp.mean, kWidth / 2.0 - 0.5, 0.3);
    o.accumulation.shutter = 180;
    const double way = 40.0 / 120 * kPixels / kDistance;  // [px]
    EXPECT_NEAR(profileOf(o).variance - sharp.variance, way * way / 12, 0.03 * way * way / 12);
}

// Thin lens of the diameter D, in focus at F: the circle of confusion of a point at z has the
// diameter D |1/F − 1/z| in the image of a pinhole at unit distance. The variance of a disc
// along an axis is the square of its radius over 4.
TEST(Accumulation, PointsOutOfFocusHaveTheCircleOfConfusionOfAThinLens) {
    const TemporaryFolder folder;
    RecordOptions o = pictureOf(ballScene(folder, "", ""), folder);
    o.accumulation.samples = 128;
    const double sharp = profileOf(o).variance;
    o.accumulation.aperture = 0.2;
    for (const double focus : {2.0, 2.5, 8.0}) {
        o.accumulation.focusDistance = focus;
        const double radius = 0.2 / 2 * std::abs(1 / focus - 1 / kDistance) * kPixels;  // [px]
        EXPECT_NEAR(profileOf(o).variance - sharp, radius * radius / 4, 0.08 * radius * radius / 4) << focus;
    }
    // the camera looks at the ball, and that is its name
    o.accumulation.focusDistance.reset();
    EXPECT_NEAR(profileOf(o).variance, sharp, 0.3);
    o.accumulation.focusOn = "ball";
    EXPECT_NEAR(profileOf(o).variance, sharp, 0.3);
    o.accumulation.focusOn = "bal";
    try {
        record(o);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Usage);
        EXPECT_NE(std::string(error.what()).find("ball"), std::string::npos) << error.what();
    }
}

// The front of a turned box, seen from the front: the share of each pixel within its projected outline.
TEST(Accumulation, EdgesHaveTheCoverageOfTheirPixels) {
    const TemporaryFolder folder;
    RecordOptions o =
        pictureOf(ballScene(folder, kFarAway,
                            R"({ "name": "box", "box": { "size": [1, 0.8, 0.2] }, "rotation": [0, 0, 9],
                                               "position": [0, 0, -0.1], "color": [0.1, 0.1, 0.1] })"),
                  folder);
    o.draw.background = Background::Plain;
    o.draw.shadows = false;
    const Decoded image = draw(o);
    const double angle = 9 * std::numbers::pi / 180, scale = kPixels / kDistance;
    const auto isInside = [&](double x, double y) {  // [px]
        const double u = (x - kWidth / 2.0) / scale, v = (kHeight / 2.0 - y) / scale;
        return std::abs(std::cos(angle) * u + std::sin(angle) * v) < 0.5 &&
               std::abs(std::cos(angle) * v - std::sin(angle) * u) < 0.4;
    };
    const double background = linear(image.at(0, 0)[1]), face = linear(image.at(kWidth / 2, kHeight / 2)[1]);
    ASSERT_GT(background - face, 0.2);
    double squares = 0, worst = 0;
    int edges = 0;
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            int hits = 0;
            for (int k = 0; k < 1024; ++k) hits += isInside(x + (k % 32 + 0.5) / 32, y + (k / 32 + 0.5) / 32);
            const double coverage = hits / 1024.0;
            const double drawn = (background - linear(image.at(x, y)[1])) / (background - face);
            worst = std::max(worst, std::abs(drawn - coverage));
            if (hits == 0 || hits == 1024) continue;
            squares += (drawn - coverage) * (drawn - coverage);
            ++edges;
        }
    ASSERT_GT(edges, 150);
    EXPECT_LT(std::sqrt(squares / edges), 0.03);
    EXPECT_LT(worst, 0.1);
}

// Below the straight edge of a plate at the height h, the sun is hidden by a segment of its disc: with u =
// x/(R h), R the radius of the disc at unit distance, the open share is 1/2 + (u √(1 − u²) + asin u)/π.
TEST(Accumulation, PenumbrasAreThoseOfTheDiscOfTheSun) {
    const TemporaryFolder folder;
    writeText(folder / "plate.json", R"({ "materials": { "grain": { "kind": "grains", "spacing": 0.02 } },
        "bodies": [{ "name": "ball", "material": "grain", "points": [[-0.2, 0.9, 0.35], [-0.2, 0.05, -0.35]] }],
        "shapes": [{ "name": "floor", "plane": { "normal": [0, 1, 0] } },
                   { "name": "plate", "box": { "size": [0.4, 0.02, 0.8] }, "position": [-0.2, 1, 0] }],
        "cameras": [{ "name": "main", "eye": [0.3, 0.3, 0], "look": [0, 0, 0], "fov": 16 }] })");
    RecordOptions o = pictureOf(folder / "plate.json", folder);
    o.draw.background = Background::Studio;
    o.draw.ground = Ground::Plain;
    o.draw.sunDirection = {0, 1, 0};
    o.draw.exposure = 1.55f;  // where the tone curve is straight
    const Decoded image = draw(o);
    const auto lightAt = [&](double x) {  // of the ground at z = 0
        // the view is inclined by 45 degrees: distances across and along it
        const double across = x / std::numbers::sqrt2, along = 0.3 * std::numbers::sqrt2 - across;
        const double row =
            kHeight / 2.0 + across / along * kHeight / 2.0 / std::tan(8 * std::numbers::pi / 180) - 0.5;
        const int y = int(std::floor(row));
        double sum = 0;
        for (int column = kWidth / 2 - 10; column < kWidth / 2 + 10; ++column)
            for (const int k : {0, 1})
                sum += (k == 0 ? y + 1 - row : row - y) * linear(image.at(column, y + k)[1]) / 20;
        return sum;
    };
    const double dark = lightAt(-0.045), lit = lightAt(0.045);
    ASSERT_GT(lit, 3 * dark);
    for (double x = -0.04; x < 0.041; x += 0.005) {
        const double u = std::clamp(x / (0.03 * 0.99), -1.0, 1.0);  // from the lower side of the plate
        const double open = 0.5 + (u * std::sqrt(1 - u * u) + std::asin(u)) / std::numbers::pi;
        EXPECT_NEAR((lightAt(x) - dark) / (lit - dark), open, 0.05) << x;
    }
}

TEST(Accumulation, SamplesAreSpreadEvenly) {
    for (const int count : {2, 16, 64, 256}) {
        glm::dvec2 means[3]{};
        double together = 0;
        for (int k = 0; k < count; ++k) {
            const ImageSample s = imageSample(k, count);
            EXPECT_NEAR(s.time, (k + 0.5) / count, 1e-12);
            const glm::dvec2 points[3] = {s.pixel, s.lens, s.sun};
            for (int area = 0; area < 3; ++area) {
                means[area] += points[area] / double(count);
                for (int axis = 0; axis < 2; ++axis) {
                    EXPECT_GE(points[area][axis], 0);
                    EXPECT_LT(points[area][axis], 1);
                }
            }
            together += 12 * (s.pixel.x - 0.5) * (s.lens.x - 0.5) / count;
        }
        for (const glm::dvec2 mean : means) {
            EXPECT_NEAR(mean.x, 0.5, 1.0 / count) << count;
            EXPECT_NEAR(mean.y, 0.5, 1.0 / count) << count;
        }
        if (count > 2) {
            EXPECT_NEAR(together, 0, 3 / std::sqrt(count)) << "the areas do not depend on each other";
        }
    }
}

// Several programs may draw one recording, and drawing leaves the simulation alone.
TEST(Accumulation, ImagesDependOnTheirNumberAlone) {
    const TemporaryFolder folder;
    RecordOptions o = pictureOf(smallScene(folder), folder);
    o.frames = 4;
    o.draw.quality = Quality::Standard;
    const uint64_t plain = (o.accumulation.samples = 1, record(o).hash);
    const std::string once = readText(o.images / "frame_000003.png");
    o.accumulation.samples = 3;
    o.accumulation.aperture = 0.05;
    o.accumulation.shutter = 180;
    EXPECT_EQ(record(o).hash, plain);
    EXPECT_NE(readText(o.images / "frame_000003.png"), once);
    RecordOptions part = o;
    part.images = folder / "part";
    part.firstImage = 2, part.lastImage = 3;
    record(part);
    for (const char* name : {"frame_000002.png", "frame_000003.png"})
        EXPECT_EQ(readText(o.images / name), readText(part.images / name)) << name;
}

TEST(MovedWorld, EverythingGoesOnEvenlyAndComesBack) {
    const TemporaryFolder folder;
    writeText(folder / "spin.json", R"({ "world": { "gravity": [0, 0, 0] },
        "materials": { "wood": { "kind": "rigid", "spacing": 0.1 }, "water": { "spacing": 0.1 } },
        "bodies": [
            { "name": "bar", "material": "wood", "block": { "size": [0.8, 0.2, 0.2] }, "center": [0, 1, 0],
              "velocity": [1, 2, 3], "angularVelocity": [0, 0, 600] },
            { "name": "drop", "material": "water", "sphere": { "radius": 0.2 }, "center": [2, 1, 0], "velocity": [-2, 0, 0] }],
        "shapes": [{ "name": "ball", "sphere": { "radius": 0.1 }, "position": [0, 0, 5], "velocity": [0, 1, 0] }] })");
    const Scene scene = readScene(folder / "spin.json");
    Exec exec({.backend = "cpu"});
    World world(exec);
    buildWorld(scene, world);
    const uint64_t before = stateHash(world);
    const std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
    const ClusterPose start = world.solids.pose.download()[0];
    const double t = -0.008;
    {
        MovedWorld moved(world);
        moved.moveTo(0.02);  // the path does not matter
        moved.moveTo(t);
        const std::vector<Vec4> now = world.particles.x.download();
        for (size_t i = 0; i < x.size(); ++i)
            EXPECT_NEAR(length(xyz(now[i]) - xyz(x[i]) - float(t) * xyz(v[i])), 0, 1e-6);
        const ClusterPose pose = world.solids.pose.download()[0];
        EXPECT_NEAR(pose.center.x - start.center.x, 1 * t, 1e-5);
        EXPECT_NEAR(pose.center.z - start.center.z, 3 * t, 1e-5);
        // straight paths turn a body by atan(ω t)
        const double turned = 2 * std::atan2(double(pose.rotation.z), double(pose.rotation.w));
        EXPECT_NEAR(turned, std::atan(600 * std::numbers::pi / 180 * t), 1e-4);
        EXPECT_NEAR(poseAt(world.shapes[0], world.time).position.y, t, 1e-6);
    }
    EXPECT_EQ(stateHash(world), before);
    EXPECT_EQ(world.solids.pose.download()[0].rotation.z, start.rotation.z);
}

}  // namespace
}  // namespace coalesce::test
