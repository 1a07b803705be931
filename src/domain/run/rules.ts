// Rules of a run: the version of the engine's rules under which a run began. A rule is anything that a resumed or
// replayed run would notice if it changed: how a room asks its members, what a gate wants, how a run ends. A run goes
// on by the rules it began under, so that what is in its journal still answers what it asks. What each version
// changed is listed here, and whoever changes a rule reads `RunState.rules` or `SubflowContext.rules`.
//
// 1  Runs whose `RunStarted` has no `rules`.
// 2  A council collects objections of every phase, and its ballot asks whether each one stands. The council of a
//    contract is held once, before the plan begins, and not in each mission. A mission's answer has
//    the `state` that it was proven on. In a workflow script a null that the
//    script gives of itself is no lost item. A result may hold a Date (its ISO text) and undefined in an array (null).
// 3  A statement's schema sets no limit to its objections: one that is sent back for being too long loses what its
//    member then leaves out.

/** The rules that a new run begins under. */
export const currentRules = 3

/** From these rules on the council of a contract is held before the plan begins. */
export const councilFirstRules = 2

/** The rules of a run whose `RunStarted` says none. */
export const firstRules = 1
