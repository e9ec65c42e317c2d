import { join } from 'node:path';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import { API, type Project } from 'typescript/unstable/sync';

const repository = join(import.meta.dirname, '../../..');

/** The syntax trees of the repository's TypeScript files, and what the compiler knows about them. */
export interface SourceTrees {
  readonly project: Project;
  /** Trees of the files below a folder, by their path in the repository. */
  files(folder: string): ReadonlyMap<string, SourceFile>;
  /** Ends the compiler's process. */
  close(): void;
}

/** Starts the compiler on the repository, which takes about a second. */
export function openSourceTrees(): SourceTrees {
  const api = new API({ cwd: repository });
  const config = join(repository, 'tsconfig.json');
  const project = api.updateSnapshot({ openProject: config }).getProject(config);
  if (project === undefined) throw new Error('The compiler does not read tsconfig.json.');
  return {
    project,
    files(folder) {
      const start = join(repository, folder, '/');
      const names = project.program.getSourceFileNames().filter((name) => name.startsWith(start));
      return new Map(
        names.flatMap((name) => {
          const file = project.program.getSourceFile(name);
          return file === undefined ? [] : [[name.slice(repository.length + 1), file] as const];
        }),
      );
    },
    close: () => api.close(),
  };
}

/** Calls `visit` with a node and all nodes in it. */
export function forEachNode(node: Node, visit: (node: Node) => void): void {
  visit(node);
  node.forEachChild((child) => forEachNode(child, visit));
}
