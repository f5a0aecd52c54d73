import { type LibsqlServerOptions, startLibsqlServer } from '#tests/support/libsql-server';

/* The stand-in of a database server as a process, which can be killed; started by libsql-process.ts. */

const server = await startLibsqlServer(JSON.parse(process.argv[2] ?? '{}') as LibsqlServerOptions);
process.on('disconnect', () => process.exit());
process.send?.(server.url);
