import { startFileServer } from '#tests/support/file-server';

/* The peer of the published site: a plain server of the files in FOLDER, in a separate process. */

process.once('disconnect', () => process.exit());
const { url } = await startFileServer(process.env['FOLDER'] ?? '.');
process.send?.({ url });
