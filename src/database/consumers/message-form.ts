import type { CountedMessage, MessageHead, TopicMessage } from '../../model/topic-message.js';
import { topicRowFormat } from '../../sql/engine/settings.js';
import type { TopicPlan, TopicRowForm } from '../../sql/plan/topic.js';

/** The form in which a consumer gets its rows. */
export interface MessageForm<M extends CountedMessage> {
  readonly rows: TopicRowForm;
  /** Format of the engine. */
  readonly format: string;
  /** Makes the message of a result; undefined where it has no rows. */
  message(bytes: Buffer, plan: TopicPlan, head: MessageHead): M | undefined;
  /** Makes one message of those of several tables that were written together; left out where each table has its own. */
  merge?(first: M, others: readonly M[]): M;
}

/** Rows as lines of text. */
export const lineForm: MessageForm<TopicMessage> = {
  rows: 'lines',
  format: topicRowFormat,
  message: (bytes, _plan, head) => {
    const lines = bytes.toString().split('\n');
    lines.pop();
    if (lines.length === 0) return undefined;
    const names: string[] = [];
    const rows: string[] = [];
    for (const line of lines) {
      const tab = line.indexOf('\t');
      names.push(line.slice(0, tab).replaceAll('\\\\', '\\'));
      rows.push(line.slice(tab + 1));
    }
    return { ...head, count: rows.length, names, rows };
  },
};
