/** Drafts are read-only for all but the parser that fills them field by field. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
