/**
 * Settings of every table that make rows survive a power failure. An insert ends when the files of its part and their
 * directory are synced; a merge syncs them before it removes the replaced parts. Without these settings the system
 * writes files within half a minute or so, and a merge may have replaced old rows by a file that is not on the disk
 * yet.
 */
export const throughToDisk = {
  fsync_after_insert: 1,
  fsync_part_directory: 1,
  min_rows_to_fsync_after_merge: 1,
} as const;
