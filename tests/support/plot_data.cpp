#include "support/plot_data.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace coalesce::test {

PlotData::PlotData(std::string name, std::string title, std::string xLabel, std::string yLabel)
    : m_name(std::move(name)),
      m_title(std::move(title)),
      m_xLabel(std::move(xLabel)),
      m_yLabel(std::move(yLabel)) {}

PlotData& PlotData::fromZero() {
    m_fromZero = true;
    return *this;
}
PlotData& PlotData::logarithmic() {
    m_logarithmic = true;
    return *this;
}

PlotData& PlotData::add(const char* kind, std::string label, std::vector<double> x, std::vector<double> y) {
    m_series.push_back({std::move(label), kind, std::move(x), std::move(y)});
    return *this;
}
PlotData& PlotData::measured(std::string label, std::vector<double> x, std::vector<double> y) {
    return add("measured", std::move(label), std::move(x), std::move(y));
}
PlotData& PlotData::line(std::string label, std::vector<double> x, std::vector<double> y) {
    return add("line", std::move(label), std::move(x), std::move(y));
}
PlotData& PlotData::reference(std::string label, std::vector<double> x, std::vector<double> y) {
    return add("reference", std::move(label), std::move(x), std::move(y));
}
PlotData& PlotData::points(std::string label, std::vector<double> x, std::vector<double> y) {
    return add("points", std::move(label), std::move(x), std::move(y));
}

void PlotData::write() const {
    const char* folder = std::getenv("COALESCE_PLOTS");
    if (folder == nullptr) return;
    nlohmann::ordered_json axis = nlohmann::ordered_json::object();
    if (m_fromZero) axis["min"] = 0;
    if (m_logarithmic) axis["scale"] = "log";
    nlohmann::ordered_json plot;
    plot["title"] = m_title;
    plot["x"] = plot["y"] = axis;
    plot["x"]["label"] = m_xLabel;
    plot["y"]["label"] = m_yLabel;
    for (const Series& s : m_series)
        plot["series"].push_back({{"label", s.label}, {"kind", s.kind}, {"x", s.x}, {"y", s.y}});
    std::filesystem::create_directories(folder);
    const auto path = std::filesystem::path(folder) / (m_name + ".json");
    std::ofstream file(path);
    file << plot.dump(1) << "\n";
    if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace coalesce::test
