/** The listeners of agents on any free port, so that services can run beside each other. */
export const freeListeners: readonly string[] = ['--statsgw.port=0', '--agentd.port=0'];

/** Everything that the service listens on, on any free port. */
export const freePorts: readonly string[] = ['--port=0', '--database.port=0', ...freeListeners];
