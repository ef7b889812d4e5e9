// Grains of the lit scene: they differ by their ids, stay within
// their particles, and several make one particle.
#include <algorithm>
#include <cmath>
#include <set>

#include "fixture.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 320, kHeight = 240;
constexpr double kPixel = 1e-3;   // [m]
constexpr double kSpacing = 0.1;  // [m]

class GrainsOfSand : public Drawing {
protected:
    // One particle of gray sand with this id.
    RenderFrame particle(uint32_t id) {
        Particles p;
        p.add({0, 0, 0});
        RenderFrame frame = publish(p, buffers, kSpacing, false);
        buffers.upload(Slot::Id, &id, sizeof id);
        frame.materials[0].kind = DrawMaterial::Kind::Grains;
        frame.materials[0].color = {0.4f, 0.4f, 0.4f};
        return frame;
    }

    struct Look {
        int covered = 0;        // [px]
        double reach = 0;       // [m] from the particle's center to the farthest covered pixel
        double brightness = 0;  // mean linear green
    };
    // Along -z, at kPixel per pixel.
    static Camera view() {
        Camera camera;
        camera.eye = {0, 0, 2};
        camera.look = {0, 0, 0};
        camera.orthographicHeight = float(kPixel * kHeight);
        return camera;
    }
    Look look(RenderFrame frame, const DrawOptions& options) {
        const DumpedImage with = dumpAfter(frame, buffers, view(), options, kWidth, kHeight, "sceneDepth");
        const DumpedImage color = *renderer().dump("sceneColor");
        Look found;
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) {
                if (*with.at(x, y) >= 1) continue;
                ++found.covered;
                found.reach =
                    std::max(found.reach, kPixel * std::hypot(x + 0.5 - kWidth / 2, y + 0.5 - kHeight / 2));
                found.brightness += color.at(x, y)[1];
            }
        found.brightness /= std::max(found.covered, 1);
        return found;
    }
    static DrawOptions plain() {
        DrawOptions options;
        options.background = Background::Plain;
        options.shadows = options.occlusion = false;
        return options;
    }

    GlBuffers buffers;
};

// Half-lengths are at most 1.1 · 0.98 d/2 and at least 0.85 · 0.78 d/2.
TEST_F(GrainsOfSand, DifferInSizeAndShadeByTheirIds) {
    const double r = kSpacing / 2;
    std::set<int> sizes;
    double darkest = 1e9, brightest = 0;
    for (uint32_t id = 0; id < 12; ++id) {
        const Look one = look(particle(id), plain());
        EXPECT_LT(one.reach, 1.08 * r + kPixel) << id;
        EXPECT_GT(one.covered, M_PI * std::pow(0.85 * 0.78 * r / kPixel, 2)) << id;
        sizes.insert(one.covered / 150);
        darkest = std::min(darkest, one.brightness), brightest = std::max(brightest, one.brightness);
        // nothing but the id decides
        EXPECT_EQ(look(particle(id), plain()).covered, one.covered);
    }
    EXPECT_GE(sizes.size(), 6u);
    EXPECT_GT(brightest, 1.25 * darkest);
}

// Solids without a mesh keep the radius of their particles, and so do grains where particles are shown.
TEST_F(GrainsOfSand, OnlyGrainsOfTheLitSceneVary) {
    const double disc = M_PI * std::pow(kSpacing / 2 / kPixel, 2);
    for (uint32_t id = 0; id < 4; ++id) {
        RenderFrame frame = particle(id);
        frame.materials[0].kind = DrawMaterial::Kind::Solid;
        EXPECT_NEAR(look(frame, plain()).covered, disc, 0.01 * disc);
        DrawOptions several = plain();
        several.grains = 30;
        EXPECT_NEAR(look(frame, several).covered, disc, 0.01 * disc);
    }
}

TEST_F(GrainsOfSand, SeveralMakeOneParticle) {
    for (const int number : {2, 8, 30}) {
        DrawOptions options = plain();
        options.grains = number;
        const Look many = look(particle(3), options);
        // spread over 0.8 d around the particle, which they hide in part
        EXPECT_LT(many.reach, 0.8 * kSpacing + kPixel) << number;
        const double one = M_PI * std::pow(1.1 * kSpacing / 2 / kPixel, 2) * std::pow(number, -2.0 / 3);
        EXPECT_GT(many.covered, one) << number;  // more than one of them
        EXPECT_LT(many.covered, number * one) << number;
    }
    // and they belong to their particles: the arrays advance once for all grains of one
    Particles two;
    two.add({-0.06, 0, 0});
    two.add({0.06, 0, 0});
    RenderFrame frame = publish(two, buffers, 0.05, false);
    const uint32_t ids[] = {4, 5};
    buffers.upload(Slot::Id, ids, sizeof ids);
    frame.materials[0].kind = DrawMaterial::Kind::Grains;
    DrawOptions options = plain();
    options.grains = 30;
    const DumpedImage depth = dumpAfter(frame, buffers, view(), options, kWidth, kHeight, "sceneDepth");
    int left = 0, right = 0;
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) (x < kWidth / 2 ? left : right) += *depth.at(x, y) < 1;
    EXPECT_GT(std::min(left, right), 0.5 * std::max(left, right));
}

}  // namespace
}  // namespace coalesce::test
