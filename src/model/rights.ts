/** The rights that GRANT gives. ALL is all of them. */
export const rights = ['READ', 'WRITE', 'ALTER', 'SUBSCRIBE'] as const;
/** A right that users may have on a database or table. */
export type Right = (typeof rights)[number];

/** The user that every installation begins with; it may do everything and cannot be dropped or disabled. */
export const administrator = 'root';
/** The scope of a right on all databases, including later ones. */
export const everyDatabase = '*';
