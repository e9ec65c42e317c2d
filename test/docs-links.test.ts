import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'ava';
import { blocksOf, pages, repository, runs, textOf } from './support/documents/documents.js';

/** Text of a page without what stands in blocks. */
function proseOf(page: string): string {
  return textOf(page).replace(/^```[\s\S]*?^```/gm, '');
}

/** The anchors that a page has, made of its headings as the usual viewers make them. */
function anchorsOf(page: string): Set<string> {
  const headings = [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text);
  const plain = headings.map((text) => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase());
  return new Set(plain.map((text) => text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')));
}

test('every file and heading that a page links to exists', (t) => {
  let links = 0;
  for (const page of pages) {
    for (const [, link = ''] of proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [file = '', anchor] = link.split('#');
      const path = file === '' ? join(repository, page) : join(repository, dirname(page), file);
      t.true(existsSync(path), `${page}: ${link}`);
      if (anchor !== undefined) t.true(anchorsOf(relative(repository, path)).has(anchor), `${page}: ${link}`);
      links++;
    }
  }
  t.true(links > 50);
});

test('every file that a page names by its path exists', (t) => {
  for (const page of pages) {
    if (page === 'CHANGELOG.md') continue;
    for (const [, name = ''] of textOf(page).matchAll(
      /`((?:src|test|page|tools|bench|examples|packaging|fixtures)\/[\w./-]+)`/g,
    )) {
      t.true(existsSync(join(repository, name)), `${page}: ${name}`);
    }
  }
});

test('every block that no test runs says why, or names the test that does', (t) => {
  for (const page of pages) {
    for (const block of blocksOf(page)) {
      const { place, mark = '' } = block;
      const [, tested] = /^tested: (\S+)/.exec(mark) ?? [];
      if (tested !== undefined) t.true(statSync(join(repository, tested)).isFile(), `${place}: ${tested}`);
      else if (runs(block)) t.regex(mark, /^$|^refused$|^database: \S/, place);
      else t.regex(mark, /^not run: \S/, place);
    }
  }
});

test('no line of prose is much longer than the others, so that a change of it can be read', (t) => {
  for (const page of pages) {
    if (page === 'CHANGELOG.md' || page.startsWith('docs/decisions/')) continue;
    const long = proseOf(page)
      .split('\n')
      .filter((line) => line.length > 200 && !/^(\||<!--)/.test(line));
    t.deepEqual(long, [], page);
  }
});

test('a decision has at most 40 lines of at most 120 columns', (t) => {
  const decisions = pages.filter((page) => page.startsWith('docs/decisions/'));
  t.true(decisions.length > 40);
  for (const decision of decisions) {
    const lines = textOf(decision).trimEnd().split('\n');
    t.true(lines.length <= 40, `${decision}: ${lines.length} lines`);
    t.deepEqual(
      lines.filter((line) => line.length > 120),
      [],
      decision,
    );
  }
});
