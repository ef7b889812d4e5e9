// What particles can be colored by, by name: on the command line, in the panel, in legends.
#pragma once

#include <array>

#include "render/frame/color_by.h"

namespace coalesce {

enum class Quantity {
    Material,
    Speed,
    DensityError,
    Neighbors,
    Id,
    Contacts,
    Distance,
    Height,
    Sleeping,
    Body,
    Strain,
    Attribute,
    Pressure,
    Mass,
    Fixed,
    Age,
    Residual
};

struct QuantityInfo {
    Quantity quantity;
    const char* word;   // on the command line
    const char* label;  // in legend and panel
    const char* unit;
    ColorBy map;
    const char* about;
};
inline constexpr std::array<QuantityInfo, 17> kQuantities = {{
    {Quantity::Material, "material", "material", "-", ColorBy::Phase, "the color of the material"},
    {Quantity::Speed, "speed", "speed", "m/s", ColorBy::Speed, ""},
    {Quantity::DensityError, "density", "density error", "-", ColorBy::Diverging,
     "of liquids: above 0 compressed, below 0 at the surface"},
    {Quantity::Neighbors, "neighbors", "neighbors", "-", ColorBy::Scalar, "within the support of liquids"},
    {Quantity::Id, "id", "id", "-", ColorBy::Scalar, "the particle's name"},
    {Quantity::Contacts, "contacts", "contacts", "-", ColorBy::Scalar,
     "particles that touch, up to 5 % of a spacing apart"},
    {Quantity::Distance, "sdf", "signed distance", "m", ColorBy::Scalar,
     "to the surface of its body, as a particle carries it"},
    {Quantity::Height, "height", "stack height", "m", ColorBy::Scalar,
     "in its stack; 0 while the solver does not scale masses by it"},
    {Quantity::Sleeping, "sleeping", "asleep", "-", ColorBy::Scalar, "1 asleep, 0 awake"},
    {Quantity::Body, "body", "body", "-", ColorBy::Scalar, "the number of its group"},
    {Quantity::Strain, "strain", "strain", "-", ColorBy::Diverging,
     "of cloth and ropes: of its springs the one that is stretched or pressed the most"},
    {Quantity::Attribute, "channel", "channel", "-", ColorBy::Scalar,
     "what it carries, in the colors that the scene gives"},
    {Quantity::Pressure, "pressure", "pressure", "Pa", ColorBy::Scalar,
     "of liquids, in the last substep; known from the first frame on that was simulated while it is shown"},
    {Quantity::Mass, "mass", "mass", "kg", ColorBy::Scalar, "0 of what is pinned"},
    {Quantity::Fixed, "fixed", "fixed", "-", ColorBy::Scalar,
     "0 free, 1 asleep, 2 pinned, 3 frozen because its values were not finite"},
    {Quantity::Age, "age", "age", "s", ColorBy::Scalar,
     "since it was born; of a loaded state since the start"},
    {Quantity::Residual, "residual", "constraint residual", "-", ColorBy::Scalar,
     "what is left unsolved: the largest of compression, strain, distance from its place in a body and "
     "overlap, "
     "the last two by the spacing"},
}};
const QuantityInfo& infoOf(Quantity quantity);

}  // namespace coalesce
