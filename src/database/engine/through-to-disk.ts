/**
 * Settings of every table that make what is stored survive a loss of power. An insert ends when the files of its part and their names
 * are on the disk; a merge does so before the parts that it replaces are removed. Without them the system writes files when it
 * likes, within half a minute or so, and a merge may have replaced rows of last year by a file that is not on the disk.
 */
export const throughToDisk = {
  fsync_after_insert: 1,
  fsync_part_directory: 1,
  min_rows_to_fsync_after_merge: 1,
} as const;
