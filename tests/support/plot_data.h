// Measurements of a validation test for tools/plot: a JSON file NAME.json in the folder that the
// environment variable COALESCE_PLOTS names. Without it nothing is written.
#pragma once

#include <string>
#include <vector>

namespace coalesce::test {

class PlotData {
public:
    // axis labels with their unit, such as "R [m]"
    PlotData(std::string name, std::string title, std::string xLabel, std::string yLabel);
    // both axes start at zero, or are logarithmic; otherwise they span the data
    PlotData& fromZero();
    PlotData& logarithmic();

    PlotData& measured(std::string label, std::vector<double> x, std::vector<double> y);
    PlotData& line(std::string label, std::vector<double> x, std::vector<double> y);  // measured, connected
    PlotData& reference(std::string label, std::vector<double> x, std::vector<double> y);  // a curve
    PlotData& points(std::string label, std::vector<double> x, std::vector<double> y);  // reference, points

    // writes the file; throws std::runtime_error when the folder cannot be written to
    void write() const;

private:
    struct Series {
        std::string label;
        const char* kind;
        std::vector<double> x, y;
    };
    PlotData& add(const char* kind, std::string label, std::vector<double> x, std::vector<double> y);

    std::string m_name, m_title, m_xLabel, m_yLabel;
    bool m_fromZero = false, m_logarithmic = false;
    std::vector<Series> m_series;
};

}  // namespace coalesce::test
