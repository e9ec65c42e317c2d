import type { OptionTable, SettingReader } from '../../model/option.js';

/** The direct metric-agent listener (specification 1, "Group agentd"). */
export const agentdOptions: OptionTable = {
  group: 'agentd',
  title: 'Metric-agent listener',
  rows: [
    {
      flag: 'agentd.enable',
      type: 'bool',
      default: 'true',
      env: 'ADAPTER_AGENTD_ENABLE',
      help: 'listen for metric agents',
    },
    {
      flag: 'agentd.port',
      type: 'int',
      default: '6045',
      env: 'ADAPTER_AGENTD_PORT',
      help: 'UDP port',
      min: 0,
      max: 65535,
    },
    {
      flag: 'agentd.db',
      type: 'string',
      default: 'agentd',
      env: 'ADAPTER_AGENTD_DB',
      help: 'database that is written to',
    },
    {
      flag: 'agentd.user',
      type: 'string',
      default: 'root',
      env: 'ADAPTER_AGENTD_USER',
      help: 'database user of the writes',
    },
    {
      flag: 'agentd.password',
      type: 'secret',
      default: 'taosdata',
      env: 'ADAPTER_AGENTD_PASSWORD',
      help: 'password of that user',
    },
    {
      flag: 'agentd.worker',
      type: 'int',
      default: '10',
      env: 'ADAPTER_AGENTD_WORKER',
      help: 'most writes at the same time',
      min: 1,
    },
    {
      flag: 'agentd.ttl',
      type: 'int',
      env: 'ADAPTER_AGENTD_TTL',
      help: 'days that new sub-tables live; 0 or not set is for ever',
      min: 0,
    },
  ],
};

export interface AgentdSettings {
  readonly enable: boolean;
  readonly port: number;
  readonly db: string;
  readonly user: string;
  readonly password: string;
  readonly worker: number;
  /** 0 is for ever. */
  readonly ttlDays: number;
}

/** Reads the settings of {@link agentdOptions}. */
export function readAgentdSettings(reader: SettingReader): AgentdSettings {
  return {
    enable: reader.bool('agentd.enable'),
    port: reader.number('agentd.port'),
    db: reader.text('agentd.db'),
    user: reader.text('agentd.user'),
    password: reader.text('agentd.password'),
    worker: reader.number('agentd.worker'),
    ttlDays: reader.optionalNumber('agentd.ttl') ?? 0,
  };
}
