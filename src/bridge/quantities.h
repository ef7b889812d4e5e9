// Quantities that particles can be colored by, by name: for the command line, the panel, legends.
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
    const char* formerWord = "";  // still accepted
};
inline constexpr std::array<QuantityInfo, 17> kQuantities = {{
    {Quantity::Material, "material", "material", "-", ColorBy::Phase, "Material color."},
    {Quantity::Speed, "speed", "speed", "m/s", ColorBy::Speed, "Length of the velocity."},
    {Quantity::DensityError, "density", "density error", "-", ColorBy::Diverging,
     "Liquids: above 0 compressed, below 0 at the surface."},
    {Quantity::Neighbors, "neighbors", "neighbors", "-", ColorBy::Scalar,
     "Neighbors within the support radius of liquids."},
    {Quantity::Id, "id", "id", "-", ColorBy::Scalar, "Persistent number of the particle."},
    {Quantity::Contacts, "contacts", "contacts", "-", ColorBy::Scalar,
     "Particles in contact: at most 5 % of a spacing apart."},
    {Quantity::Distance, "sdf", "signed distance", "m", ColorBy::Scalar,
     "Signed distance to the surface of the body, as stored per particle."},
    {Quantity::Height, "height", "stack height", "m", ColorBy::Scalar,
     "Height in a stack; 0 while mass scaling is off."},
    {Quantity::Sleeping, "sleeping", "asleep", "-", ColorBy::Scalar, "1 asleep, 0 awake."},
    {Quantity::Body, "body", "body", "-", ColorBy::Scalar, "Number of the group."},
    {Quantity::Strain, "strain", "strain", "-", ColorBy::Diverging,
     "Cloth and ropes: strain of the most stretched or compressed spring."},
    {Quantity::Attribute, "attribute", "attribute", "-", ColorBy::Scalar,
     "Attribute chosen by the scene, in the scene's colors.", "channel"},
    {Quantity::Pressure, "pressure", "pressure", "Pa", ColorBy::Scalar,
     "Pressure of liquids in the last substep; computed from the first frame simulated while it is shown."},
    {Quantity::Mass, "mass", "mass", "kg", ColorBy::Scalar, "Mass; 0: pinned."},
    {Quantity::Fixed, "fixed", "fixed", "-", ColorBy::Scalar,
     "0 free, 1 asleep, 2 pinned, 3 frozen after non-finite values."},
    {Quantity::Age, "age", "age", "s", ColorBy::Scalar,
     "Time since it was spawned; for a loaded state, since the start."},
    {Quantity::Residual, "residual", "constraint residual", "-", ColorBy::Scalar,
     "Largest remaining error: compression, strain, distance from the rest position in a body, or overlap; "
     "the last two in spacings."},
}};
const QuantityInfo& infoOf(Quantity quantity);

}  // namespace coalesce
