// Quantities over time, of the page Plots. References: free fall, and a world at rest.
#include <cmath>
#include <set>

#include "panel_driver.h"

namespace coalesce::test {
namespace {

class Plots : public PanelDriver {
protected:
    static double of(const SeriesSample& sample, std::string_view name) {
        for (size_t k = 0; k < kSeriesCount; ++k)
            if (kSeries[k].name == name) return sample.value[k];
        ADD_FAILURE() << name;
        return NAN;
    }
    static SeriesSample sample(uint64_t frame, double value) {
        SeriesSample s{.frame = frame, .time = double(frame) / 60, .value = {}};
        s.value.fill(value);
        return s;
    }
};

TEST_F(Plots, EnergiesAreThoseOfFreeFall) {
    const SeriesSample start = sampleOf(session.world(), session.status());
    for (int k = 0; k < 6; ++k) session.step();  // 0.1 s: 5 cm of 20
    const SeriesSample now = sampleOf(session.world(), session.status());
    const double mass = 1000 * 0.6 * 0.6 * 0.6, speed = 9.81 * 0.1;
    EXPECT_EQ(of(now, "particles"), 216);
    EXPECT_EQ(of(start, "kinetic"), 0);
    EXPECT_NEAR(of(start, "potential"), mass * 9.81 * 0.5, 1);
    EXPECT_NEAR(of(now, "kinetic"), 0.5 * mass * speed * speed, 0.01 * mass * speed * speed);
    EXPECT_NEAR(of(now, "speed"), speed, 0.01 * speed);
    // symplectic Euler falls by g dt t / 2 more than the parabola
    const double dt = 1.0 / 60 / session.world().parameters.solver.substeps;
    EXPECT_NEAR(of(now, "mechanical") - of(start, "mechanical"), -mass * 9.81 * 9.81 * dt * 0.1 / 2,
                0.002 * mass * speed * speed + 0.01);
    EXPECT_TRUE(std::isnan(of(now, "residual"))) << "of projective dynamics only";
    EXPECT_EQ(of(now, "substeps"), session.world().parameters.solver.substeps);
    EXPECT_GE(of(now, "density"), 0);
    EXPECT_LT(of(now, "density"), 20);
}

TEST_F(Plots, TheResidualIsThatOfTheLinearSolver) {
    session.world().globalStep = {
        .solves = 2, .iterations = 9, .residuals = 2, .breakdowns = 0, .residual = 0.003f};
    EXPECT_EQ(of(sampleOf(session.world(), session.status()), "residual"), double{0.003f});
    session.world().globalStep.residuals = 0;
    EXPECT_TRUE(std::isnan(of(sampleOf(session.world(), session.status()), "residual"))) << "it is not known";
}

TEST_F(Plots, LabelsOfAnAxisDiffer) {
    const auto labels = [](double low, double high, const std::string& unit) {
        std::vector<std::string> all;
        for (const AxisTick& tick : axisTicks(low, high, 3, unit)) all.push_back(tick.label);
        return all;
    };
    using Labels = std::vector<std::string>;
    EXPECT_EQ(labels(106.595, 106.647, "J"), (Labels{"106.60 J", "106.62 J", "106.64 J"}));
    EXPECT_EQ(labels(0, 120, "J"), (Labels{"0 J", "50 J", "100 J"}));
    EXPECT_EQ(labels(-0.5, 1.2, ""), (Labels{"-0.5", "0.0", "0.5", "1.0"}));
    EXPECT_EQ(labels(0, 2.4e4, "J"), (Labels{"0 kJ", "10 kJ", "20 kJ"}));
    // below the resolution of float
    const Labels close = labels(1e9, 1e9 + 1, "");
    EXPECT_EQ(std::set(close.begin(), close.end()).size(), close.size());
}

TEST_F(Plots, SamplesAreInTheOrderOfFramesAndThinnedOut) {
    TimeSeries series;
    for (uint64_t f = 0; f < 100; ++f) series.add(sample(f, double(f)));
    series.add(sample(40, -1));
    ASSERT_EQ(series.samples().size(), 41u);
    EXPECT_EQ(series.samples().back().value[0], -1) << "another course";
    series.clear();
    for (uint64_t f = 0; f < 10 * TimeSeries::kMost; ++f) series.add(sample(f, double(f)));
    const auto& all = series.samples();
    EXPECT_LE(all.size(), TimeSeries::kMost);
    EXPECT_GT(all.size(), TimeSeries::kMost / 4);
    EXPECT_EQ(all.front().frame, 0u);
    EXPECT_GT(all.back().frame, 10 * TimeSeries::kMost - 32);
    for (size_t k = 2; k < all.size(); ++k)
        EXPECT_EQ(all[k].frame - all[k - 1].frame, all[1].frame - all[0].frame) << "evenly";
}

TEST_F(Plots, TablesHaveTheColumnsWithValues) {
    TimeSeries series;
    SeriesSample a = sample(0, 1), b = sample(30, 2.5);
    a.value[6] = b.value[6] = NAN;
    a.value[4] = NAN;
    series.add(a), series.add(b);
    EXPECT_EQ(
        series.csv(),
        "time [s],Kinetic + potential energy [J],Particles,Kinetic energy [J],Potential energy [J],Density "
        "error [%],Maximum speed [m/s],Substeps\n"
        "0,1,1,1,1,,1,1\n"
        "0.5,2.5,2.5,2.5,2.5,2.5,2.5,2.5\n");
}

TEST_F(Plots, AreShownWhileTheSceneRuns) {
    click("page.plots");
    EXPECT_FALSE(shown("plot.kinetic")) << "one sample is no curve";
    for (int k = 0; k < 10; ++k) session.step(), frame();
    for (const char* plot :
         {"particles", "kinetic", "potential", "mechanical", "density", "speed", "substeps"})
        EXPECT_TRUE(shown(std::string("plot.") + plot)) << plot;
    EXPECT_FALSE(shown("plot.residual"));
    const auto folderBefore = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    click("plots.save");
    std::filesystem::current_path(folderBefore);
    const std::string table = readText(folder / "small_0001.csv");
    EXPECT_EQ(std::ranges::count(table, '\n'), 12) << table;
    click("plots.clear");
    EXPECT_FALSE(shown("plot.kinetic"));
}

TEST_F(Plots, StayAfterASeekUntilTimeGoesOn) {
    PagePlots plots;
    for (int k = 0; k < 10; ++k) session.step(), plots.record(session);
    const double fifth = of(plots.series().samples()[4], "kinetic");
    ASSERT_EQ(plots.series().samples().back().frame, 10u);
    ASSERT_TRUE(session.seek(4));
    plots.record(session);
    EXPECT_EQ(plots.series().samples().size(), 10u);
    session.edit({"world.gravity", {0, 0, 0}, ""});
    session.step();
    plots.record(session);
    ASSERT_EQ(plots.series().samples().size(), 5u);
    EXPECT_LT(of(plots.series().samples()[4], "kinetic"), 0.9 * fifth) << "without gravity";
    session.restart(true);
    plots.record(session);
    EXPECT_EQ(plots.series().samples().size(), 1u);
}

}  // namespace
}  // namespace coalesce::test
