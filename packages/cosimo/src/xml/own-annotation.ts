/**
 * How our notes in FMUs are marked (FMI 2: the tool's name, FMI 3: the type of an annotation), so
 * that we read back what we wrote.
 */
export const OWN_ANNOTATION = "cosimo";
