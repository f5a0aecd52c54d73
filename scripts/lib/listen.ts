import { type AddressInfo, createServer as createProbe, type Server as NetServer } from 'node:net';

/** Binds the port. Rejects with a message for people if another process holds it. */
export function listen(server: NetServer, port: number, host: string): Promise<number> {
  const command = process.env['npm_lifecycle_event'] ?? 'start';
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
        return reject(new Error(`HOST is ${host}, which is not an address of this machine.`));
      if (error.code !== 'EADDRINUSE') return reject(error);
      const advice = `Choose another one, for example: PORT=${port + 1} npm run ${command}`;
      reject(new Error(`Port ${port} is taken: another program, or Throughline itself, is running there. ${advice}`));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Rejects with a message for people if the port is taken; a check before long work, not a reservation. */
export async function requireFreePort({ port, host }: { readonly port: number; readonly host: string }): Promise<void> {
  const probe = createProbe();
  await listen(probe, port, host);
  await new Promise((resolve) => probe.close(resolve));
}
