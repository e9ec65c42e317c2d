import { columnsOf, type SystemTable } from './system-table.js';

/** Lists of what is not kept here, by name: clients may ask for them and get no row. */
export const withoutRows: Readonly<Record<string, SystemTable>> = Object.fromEntries(
  Object.entries({
    ins_qnodes: 'id INT, endpoint V134, create_time TS',
    ins_snodes: 'id INT, endpoint V134, create_time TS',
    ins_bnodes: 'id INT, endpoint V134, create_time TS',
    ins_anodes: 'id INT, url V134, status V10, create_time TS, update_time TS',
    ins_functions: `name V64, comment V255, aggregate INT, output_type V31, create_time TS, code_len INT, bufsize INT,
      func_language V31, func_body V16384, func_version INT`,
    ins_compacts: 'compact_id INT, db_name V64, start_time TS',
    ins_compact_details: `compact_id INT, vgroup_id INT, dnode_id INT, number_fileset INT, finished INT, start_time TS,
      progress INT, remain_time BIGINT`,
    ins_disk_usage: `db_name V64, vgroup_id INT, wal BIGINT, data1 BIGINT, data2 BIGINT, data3 BIGINT, cache_rdb BIGINT,
      table_meta BIGINT, ss BIGINT, raw_data BIGINT`,
    ins_filesets: `db_name V64, vgroup_id INT, fileset_id INT, start_time TS, end_time TS, total_size BIGINT, last_compact TS,
      should_compact BOOL`,
    ins_arbgroups: `db_name V64, vgroup_id INT, v1_dnode INT, v2_dnode INT, is_sync BOOL, assigned_dnode INT, assigned_token V64`,
    ins_encryptions: 'dnode_id INT, key_status V12',
    ins_mounts: 'name V64, dnode_id INT, create_time TS, path V1024',
    ins_roles: 'name V64, enable TINYINT, create_time TS',
    ins_machines: 'id V64, dnode_num INT, machine V7552',
  }).map(([name, columns]) => [name, { columns: columnsOf(columns), rows: () => [] }]),
);
