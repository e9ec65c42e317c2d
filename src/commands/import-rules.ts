import { readFileSync } from 'node:fs';
import { ruleText } from '../config/rule-text.js';
import { reasonOf } from '../model/fault.js';
import { readAlertFile } from './alert-file.js';

const help = `sluice import-rules <file> <database>
  Prints the alerts of an alert file of Prometheus as rules of the settings file, [[events.rules]] each. Their expressions
  read the metrics of <database>. Append the output to the settings file, behind the other keys of [events]:

    sluice import-rules alerts.yml shop >> adapter.toml

  Parts of the file that a rule cannot have are named on the standard error output. The exit code is 1 if an alert could
  not become a rule.
`;

/** Runs `sluice import-rules` and gives the exit code: 2 for a mistake on the command line, 1 for other trouble. */
export function runImportRulesCommand([file, database, ...others]: readonly string[]): number {
  const isHelp = file === '--help' || file === '-h';
  if (file === undefined || database === undefined || others.length > 0 || isHelp) {
    process[isHelp ? 'stdout' : 'stderr'].write(help);
    return isHelp ? 0 : 2;
  }
  try {
    const { rules, notes, errors } = readAlertFile(readFileSync(file, 'utf8'), database);
    for (const line of [...notes, ...errors]) process.stderr.write(`sluice: ${line}\n`);
    process.stdout.write(rules.map(ruleText).join('\n'));
    return errors.length === 0 ? 0 : 1;
  } catch (error) {
    process.stderr.write(`sluice: ${file}: ${reasonOf(error)}\n`);
    return 1;
  }
}
