// EXR images: read back by OpenEXR and by ffmpeg, whose decoder is its own; light against PNG images;
// distances, normals, velocities and ids against the closed form.
#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfInputFile.h>
#include <ImfStandardAttributes.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <half.h>
#include <numbers>
#include <optional>

#include "core/error.h"
#include "decode.h"
#include "record/exr.h"
#include "record/recorder.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

// One channel; rows from top to bottom.
std::vector<float> channelOf(const std::filesystem::path& file, const std::string& name) {
    Imf::InputFile input(file.c_str());
    if (!input.header().channels().findChannel(name)) return {};
    const Imath::Box2i box = input.header().dataWindow();
    const size_t width = size_t(box.max.x + 1);
    std::vector<float> plane(width * size_t(box.max.y + 1));
    Imf::FrameBuffer planes;
    planes.insert(name, Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(plane.data()), sizeof(float),
                                   sizeof(float) * width));
    input.setFrameBuffer(planes);
    input.readPixels(0, box.max.y);
    return plane;
}

struct Light {
    int width = 0, height = 0;
    std::vector<float> channels[4];  // R, G, B, Z; rows from top to bottom
    float at(int k, int x, int y) const { return channels[k][size_t(y) * size_t(width) + size_t(x)]; }
};

Light readExr(const std::filesystem::path& file) {
    Imf::InputFile input(file.c_str());
    const Imath::Box2i box = input.header().dataWindow();
    Light light{box.max.x + 1, box.max.y + 1, {}};
    Imf::FrameBuffer planes;
    for (int k = 0; k < 4; ++k) {
        std::vector<float>& plane = light.channels[k];
        plane.resize(size_t(light.width) * size_t(light.height));
        planes.insert(std::string(1, "RGBZ"[k]),
                      Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(plane.data()), sizeof(float),
                                 sizeof(float) * size_t(light.width)));
    }
    input.setFrameBuffer(planes);
    input.readPixels(0, light.height - 1);
    return light;
}

TEST(Exr, PixelsAreReadBackByOtherPrograms) {
    const TemporaryFolder folder;
    constexpr int kColumns = 5, kRows = 3;
    std::vector<float> rgbz;
    for (int k = 0; k < kColumns * kRows; ++k)
        for (const float x : {0.01f * float(k), 1.5f * float(k * k), 1e-3f, 1e10f / float(k + 1)})
            rgbz.push_back(x);
    const auto file = folder / "a.exr";
    writeExr(file, rgbz, kColumns, kRows, Rows::BottomUp, 30);
    const Light light = readExr(file);
    ASSERT_EQ(light.width, kColumns);
    ASSERT_EQ(light.height, kRows);
    const std::string raw =
        outputOf("ffmpeg -v error -i '" + file.string() + "' -f rawvideo -pix_fmt gbrpf32le -");
    constexpr size_t kPixels = size_t{kColumns} * kRows;
    ASSERT_EQ(raw.size(), 3 * kPixels * sizeof(float));
    std::vector<float> decoded(3 * kPixels);
    std::memcpy(decoded.data(), raw.data(), raw.size());
    const size_t plane[] = {2, 0, 1};  // of R, G, B
    for (int y = 0; y < kRows; ++y)
        for (int x = 0; x < kColumns; ++x) {
            const float* wanted = &rgbz[4 * (size_t(kRows - 1 - y) * kColumns + size_t(x))];
            for (int k = 0; k < 3; ++k) {
                EXPECT_NEAR(light.at(k, x, y), wanted[k],
                            4.9e-4 * wanted[k] + 3e-8);  // 2^-11 of half precision
                EXPECT_EQ(decoded[plane[k] * kPixels + size_t(y) * kColumns + size_t(x)], light.at(k, x, y));
            }
            EXPECT_EQ(light.at(3, x, y), wanted[3]);
        }
    Imf::InputFile input(file.c_str());
    EXPECT_EQ(double(Imf::framesPerSecond(input.header())), 30);
    EXPECT_EQ(input.header().channels().findChannel("R")->type, Imf::HALF);
    // equal pixels, equal bytes
    writeExr(folder / "b.exr", rgbz, kColumns, kRows, Rows::BottomUp, 30);
    EXPECT_TRUE(readText(file) == readText(folder / "b.exr"));
    EXPECT_THROW(writeExr(folder / "none" / "a.exr", rgbz, kColumns, kRows, Rows::BottomUp, 30), Error);
}

constexpr int kColumns = 160, kRows = 120;
constexpr double kEyeDistance = 4, kBallRadius = 0.5;  // [m] of the ball from the eye

// A ball before the sky; the camera looks along −z at its center.
RecordOptions pictureOf(const TemporaryFolder& folder) {
    RecordOptions o;
    o.scene = folder / "ball.json";
    writeText(o.scene, R"({ "materials": { "grain": { "kind": "grains", "spacing": 0.1 } },
        "bodies": [{ "name": "far", "material": "grain", "points": [[0, 0, -900]] }],
        "shapes": [{ "name": "ball", "sphere": { "radius": 0.5 }, "color": [0.7, 0.4, 0.2] }],
        "cameras": [{ "name": "main", "eye": [0, 0, 4], "look": [0, 0, 0], "fov": 30 }] })");
    o.exec.backend = "cpu";
    o.width = kColumns, o.height = kRows;
    o.frames = 1;
    o.quiet = true;
    o.images = folder / "images";
    o.draw.ground = Ground::None;
    o.draw.fxaa = false;
    return o;
}

Light lightOf(RecordOptions o) {
    o.imageFormat = ImageFormat::Exr;
    record(o);
    return readExr(imageFile(o.images, 0, ImageFormat::Exr));
}

// Khronos PBR Neutral, as in its specification, then the transfer of sRGB; 0 to 255.
std::array<double, 3> displayed(std::array<double, 3> c) {
    const double start = 0.8 - 0.04, least = std::min({c[0], c[1], c[2]});
    const double offset = least < 0.08 ? least - 6.25 * least * least : 0.04;
    for (double& x : c) x -= offset;
    const double peak = std::max({c[0], c[1], c[2]});
    if (peak >= start) {
        const double compressed = 1 - (1 - start) * (1 - start) / (peak + 1 - 2 * start);
        const double white = 1 - 1 / (0.15 * (peak - compressed) + 1);
        for (double& x : c) x = x * compressed / peak * (1 - white) + compressed * white;
    }
    for (double& x : c) x = 255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055);
    return c;
}

TEST(Exr, TheToneCurveTurnsItsLightIntoTheImage) {
    const TemporaryFolder folder;
    for (const int samples : {1, 4}) {
        RecordOptions o = pictureOf(folder);
        o.accumulation.samples = samples;
        o.accumulation.shutter = 0;
        const Light light = lightOf(o);
        record(o);
        const Decoded image = decodePng(imageFile(o.images, 0));
        double worst = 0, brightest = 0;
        for (int y = 0; y < kRows; ++y)
            for (int x = 0; x < kColumns; ++x) {
                const auto expected = displayed({light.at(0, x, y), light.at(1, x, y), light.at(2, x, y)});
                for (size_t k = 0; k < 3; ++k) {
                    worst = std::max(worst, std::abs(expected[k] - image.at(x, y)[k]));
                    brightest = std::max(brightest, double(light.at(int(k), x, y)));
                }
            }
        EXPECT_LT(worst, 1.5) << "half a level of dither, half a level of rounding, half precision";
        EXPECT_GT(brightest, 0.3);
    }
}

TEST(Exr, DistancesAreAlongTheViewAxis) {
    const TemporaryFolder folder;
    RecordOptions o = pictureOf(folder);
    const Light light = lightOf(o);
    const double slope = std::tan(15 * std::numbers::pi / 180) / (kRows / 2);  // per pixel
    int inside = 0, outside = 0;
    for (int y = 0; y < kRows; ++y)
        for (int x = 0; x < kColumns; ++x) {
            // |(0, 0, 4) + z d| = r, d = (dx, dy, −1): a z² − 8 z + 16 − r² = 0
            const double dx = (x + 0.5 - kColumns / 2) * slope, dy = (y + 0.5 - kRows / 2) * slope;
            const double a = dx * dx + dy * dy + 1,
                         c = kEyeDistance * kEyeDistance - kBallRadius * kBallRadius;
            const double s = kEyeDistance * kEyeDistance - a * c;
            if (std::abs(s) < 1e-3) continue;  // the silhouette
            ++(s > 0 ? inside : outside);
            const double z = s > 0 ? (kEyeDistance - std::sqrt(s)) / a : double(kSkyDistance);
            EXPECT_NEAR(light.at(3, x, y), z, 1e-3 * z) << x << ' ' << y;
        }
    EXPECT_GT(inside, 1000);
    EXPECT_GT(outside, 1000);
    // the nearest of several draws of a pixel: the silhouette grows
    const auto covered = [](const Light& l) {
        return std::count_if(l.channels[3].begin(), l.channels[3].end(), [](float z) { return z < 1e9f; });
    };
    o.accumulation.samples = 16;
    o.accumulation.shutter = 0;
    const Light several = lightOf(o);
    EXPECT_GT(covered(several), covered(light));
    EXPECT_NEAR(several.at(3, kColumns / 2, kRows / 2), kEyeDistance - kBallRadius, 2e-3);
}

TEST(Exr, PassesAreThoseOfATurningBallAndAGrain) {
    const TemporaryFolder folder;
    RecordOptions o = pictureOf(folder);
    writeText(o.scene, R"({ "materials": { "grain": { "kind": "grains", "spacing": 0.4 } },
        "world": { "gravity": [0, 0, 0] },
        "bodies": [{ "name": "one", "material": "grain", "points": [[0.8, 0, 0]], "velocity": [0, 0, 3] }],
        "shapes": [{ "name": "ball", "sphere": { "radius": 0.5 }, "velocity": [1, 2, 0], "angularVelocity": [0, 90, 0] }],
        "cameras": [{ "name": "main", "eye": [0, 0, 4], "look": [0, 0, 0], "fov": 30 }] })");
    o.imageFormat = ImageFormat::Exr;
    o.passes = {Pass::normal, Pass::velocity, Pass::id};
    record(o);
    const auto file = imageFile(o.images, 0, ImageFormat::Exr);
    std::vector<float> normal[3], velocity[3];
    for (int k = 0; k < 3; ++k) {
        normal[k] = channelOf(file, std::string("normal.") + "XYZ"[k]);
        velocity[k] = channelOf(file, std::string("velocity.") + "XYZ"[k]);
        ASSERT_EQ(normal[k].size(), size_t{kColumns} * kRows);
        ASSERT_EQ(velocity[k].size(), size_t{kColumns} * kRows);
    }
    const std::vector<float> id = channelOf(file, "id");
    ASSERT_EQ(id.size(), size_t{kColumns} * kRows);
    const double slope = std::tan(15 * std::numbers::pi / 180) / (kRows / 2);  // per pixel
    const double turning = 90 * std::numbers::pi / 180;                        // [rad/s] about y
    int ofBall = 0, ofGrain = 0;
    for (int y = 0; y < kRows; ++y)
        for (int x = 0; x < kColumns; ++x) {
            const size_t pixel = size_t(y) * kColumns + size_t(x);
            const Vec3d d{(x + 0.5 - kColumns / 2) * slope, -(y + 0.5 - kRows / 2) * slope, -1},
                eye{0, 0, kEyeDistance};
            const Vec3d n{normal[0][pixel], normal[1][pixel], normal[2][pixel]},
                v{velocity[0][pixel], velocity[1][pixel], velocity[2][pixel]};
            SCOPED_TRACE(std::to_string(x) + ' ' + std::to_string(y));
            // the ball, then the grain: |eye + t d − c| = r. A grain of radius r is an ellipsoid with
            // half-axes of 0.66 to 1.08 r; its normals differ from those of the sphere by up to 30° here
            bool nothing = true;
            const auto hit = [&](Vec3d center, double radius) {
                const Vec3d to = eye - center;
                const double a = dot(d, d), b = dot(d, to), s = b * b - a * (dot(to, to) - radius * radius);
                return s < 0 ? std::nullopt
                             : std::optional<Vec3d>((1 / radius) * (to + ((-b - std::sqrt(s)) / a) * d));
            };
            for (const auto& [center, radius, largest, facing, alike, number] :
                 {std::tuple{Vec3d{}, kBallRadius, kBallRadius, 0.5, 0.9986, 1.0f},
                  {Vec3d{0.8, 0, 0}, 0.2, 1.08 * 0.2, 0.8, 0.866, 2.0f}}) {
                nothing &= !hit(center, largest);
                const std::optional<Vec3d> out = hit(center, radius);
                if (!out || dot(*out, d) > -facing) continue;  // close to the silhouette
                ++(number == 1 ? ofBall : ofGrain);
                EXPECT_EQ(id[pixel], number);
                EXPECT_NEAR(length(n), 1, 1e-5);
                EXPECT_GT(dot(n, *out), alike);
                const Vec3d wanted =
                    number == 1 ? Vec3d{1 + turning * radius * out->z(), 2, -turning * radius * out->x()}
                                : Vec3d{0, 0, 3};
                EXPECT_LT(length(v - wanted), 0.02);
            }
            if (!nothing) continue;
            EXPECT_EQ(id[pixel], 0);
            EXPECT_EQ(length(n), 0);
            EXPECT_EQ(length(v), 0);
        }
    EXPECT_GT(ofBall, 1000);
    EXPECT_GT(ofGrain, 100);
    // only what is asked for
    o.passes = {Pass::id};
    record(o);
    EXPECT_TRUE(channelOf(file, "normal.X").empty());
    EXPECT_EQ(channelOf(file, "id"), id);
    o.imageFormat = ImageFormat::Png;
    EXPECT_THROW(record(o), Error);
}

TEST(Exr, HasNoVideoBesideIt) {
    const TemporaryFolder folder;
    RecordOptions o = pictureOf(folder);
    o.imageFormat = ImageFormat::Exr;
    o.video = folder / "a.mp4";
    try {
        record(o);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Usage);
    }
    EXPECT_FALSE(std::filesystem::exists(o.video));
}

}  // namespace
}  // namespace coalesce::test
