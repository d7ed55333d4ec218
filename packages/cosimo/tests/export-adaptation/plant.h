/* Two inner units for tests of generated adaptations, the same as plant.ts: one follows its inputs at once and along slopes, one holds them. */
#include "unit.h"

UnitMaker make_led;
UnitMaker make_held;
