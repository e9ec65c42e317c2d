import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const root = join(import.meta.dirname, '../../..');

/** Variables, parameters, fields and methods called so; they say that something is there, not what. */
const words = '#?(?:found|given|made|wanted)';
const declared = new RegExp(
  `\\b(?:const|let|function) ${words}\\b|[{[(,] ?(?:\\.\\.\\.|\\w+: )?${words}(?: = |[,})\\]:?])|^ *(?:readonly |async |\\*)*${words}[(:;?=]`,
  'm',
);

test('names say what is there, and not how it came to be there', (t) => {
  for (const folder of ['src', 'test', 'tools', 'bench']) {
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const code = readFileSync(join(root, folder, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      t.is(declared.exec(code)?.[0], undefined, `${folder}/${file}`);
    }
  }
});

/** Words that have been replaced in the write path. */
const replacedInWrites =
  /\blanes?\b|on-?(?:the|their)-?way|went-?on|hand-?on\b|goes-?on\b|\btold|read-?back\b|log-?stage|overtaken|\bhears?\b|\bdoors?\b|nobody|somebody/i;

/** Folders of `src`, and of `test` where tests mirror them, with words that have been replaced there by the field's terms. */
const replaced: readonly (readonly [folder: string, words: RegExp])[] = [
  ['async', /others-?turn/i],
  ['process', /code-?release|release-?code|\bfigures|\brest(?:s|ing)\b|at rest/i],
  [
    'statements',
    /\bask(?:s|ed|ing|er)?\b|\bbegun|\btold|\btells?\b|\bheard|result-?lengths|short-?results?|listed-?while|overtaken|guess-?budget/i,
  ],
  ['database/store', /\bask(?:s|ed|ing)?\b(?! for)|\btold|\btells?\b|overtaken|leftovers|silent-?series|\bturns?\b/i],
  ['database/catalogue', /\bask(?:s|ed|ing)?\b|\btold|\btells?\b|overtaken/i],
  ['database/consumers', /\bask(?:s|ed|ing)?\b|\btold|\btells?\b|\bPlace\b/],
  [
    'http',
    /(?<![-\w])doors?\b|\bask[<(]|DoorRules|standing-?user|probable-?path|open-?calls|broken-?request|repeated-?heads|own-?figures/i,
  ],
  ['model', /\bfigures?\b|\bdoors?\b|\btold|may-?pass|is-?passing/i],
  ['sources', /(?<!'own-)\bfigures?\b|\bdoors?\b|\btold|\bhold-?back\b/i],
  ['wal', /survey|\bPlace\b|\btold|read(?:s|ing)? back/],
  [
    'sql/engine',
    /\bask(?:s|ed|ing)?\b|\bkept|\btold|\bquestions?\b|has-?few-?rows|reads-?little|rows-?to-?hold|short-?results?/i,
  ],
  [
    'sql/plan',
    /\bask(?:s|ed|ing)?\b|asks-?for|\btold|\btells?\b|\bquestions?\b|has-?few-?rows|reads-?little|rows-?to-?hold/i,
  ],
  [
    'database/host',
    /kept-?answer|short-?door|\baskers|ballast|spool(?:ed|file|place)|resting|\basked|\btold|\blane\b|br(?:eaks?|oken?) off|\bdoors?\b|\bheard/i,
  ],
  [
    'database/engine',
    /short-?asks|held-?(?:result|bytes)|result-?places|handover-?place|\bgather|\bask(?:s|ed|ing)?\b|\btold|\blane\b|waiter|br(?:eaks?|oken?) off|has-?few-?rows|is-?light|may-?repeat/i,
  ],
  [
    'database/cluster',
    /catch-?up|(?<!sluice\.)put_?-?aside|lifeline|\bgather|\bask(?:s|ed|ing)?\b|\btold|\bnote(?:s|d|clean|empty|whole)|br(?:eaks?|oken?) off|leftovers|clock-?trouble/i,
  ],
  ['load', /load-?world|service-?instead|engine-?address|may-?repeat|\basked\b|\btold\b|\bheard\b|under way/i],
  ['pipelines/commit', replacedInWrites],
  ['pipelines/write', replacedInWrites],
  ['events', /trouble|\btold|\bnoticed|lasting\.ts/i],
  ['notify', /outbox|trouble|together|giveUpOldest|\btold|refusedForGood/i],
  ['pipelines/events', /announcer|\bledger|recorder|\btold|\btell\b|\bhears\b|trouble|rule-?memory|event-?questions/i],
  [
    'workers',
    /\bquestion|\basked|\basker|\btold|\btell\b|\bheard?\b|\bhears\b|\bdesk|first-?process|unasked|answering/i,
  ],
  ['service', /events-?desk|\bdesk|\btold|\btell\b|\bhears\b|answering\b|left behind|http-?door|first-?process/i],
  [
    'telemetry',
    /joined-?figures|figure-?memory|interval-?figures|system-?figures|own figures|\btold|\bgathered|\bdoors?\b/i,
  ],
];

/** Words that have been replaced by the field's terms everywhere. */
const replacedEverywhere = new RegExp(
  [
    'kept[- ]?answers?|joint[- ]?questions?|short[- ]?asks?|\\baskers?\\b|asked-?again|asked-?shortly|proven-?relian|told-?metadata',
    'held-?result|standing[- ]?user|probable-?path|(?<![\'"])own[- ]?figures|silent-?series|\\bleftovers?\\b|is-?overtaken|guess-?budget',
    'lifeline|ballast|put aside|\\bledger|announcer|events-?desk|resting[- ]tables?|code-?release|service-?instead|broken-?request',
    'may-?ask-?again|\\bmay-?pass\\b|is-?passing\\b|others-?turn',
  ].join('|'),
  'i',
);

test('words that were replaced do not come back anywhere', (t) => {
  const uses: string[] = [];
  for (const folder of ['src', 'test', 'bench', 'tools', 'docs', 'page']) {
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      const isGenerated = /^(?:codemirror|marked|swagger)/.test(file);
      if (!/\.(?:ts|js|md|html)$/.test(file) || isGenerated || file === 'architecture/names.test.ts') continue;
      const lines = [file, ...readFileSync(join(root, folder, file), 'utf8').split('\n')];
      const old = lines.filter((line) => replacedEverywhere.test(line));
      uses.push(...old.map((line) => `${folder}/${file}: ${line.trim().slice(0, 100)}`));
    }
  }
  t.deepEqual(uses, []);
});

for (const [folder, words] of replaced) {
  test(`replaced words do not come back to ${folder}`, (t) => {
    const uses: string[] = [];
    for (const side of ['src', 'test']) {
      const directory = join(root, side, folder);
      if (!existsSync(directory)) continue;
      for (const file of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
        if (!file.endsWith('.ts')) continue;
        const lines = [file, ...readFileSync(join(directory, file), 'utf8').split('\n')];
        uses.push(
          ...lines.filter((line) => words.test(line)).map((line) => `${side}/${folder}/${file}: ${line.trim()}`),
        );
      }
    }
    t.deepEqual(uses, []);
  });
}
