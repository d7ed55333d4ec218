/** The version of this package, as people ask for it and as checkpoints remember it. */
export const VERSION = "0.1.0";
