import { OPENED_FIELD } from '#server/core/site/site-forms';
import { sendRequest } from '#tests/support/rest-client';

/*
 * A robot in a separate process: it fills in one form repeatedly, over many connections, each of which sends as fast
 * as it is answered. Its parent says how many forms to send; then it reports the answers. The job comes as JSON in
 * ROBOT_JOB.
 */

/** The form, and where the robot pretends to be. */
export interface RobotJob {
  readonly url: string;
  readonly host: string;
  readonly path: string;
  /** Networks that it sends from in turn. */
  readonly networks: number;
}

/** How far it has come. */
export interface RobotTold {
  readonly sent: number;
  /** Answers by their status. */
  readonly statuses: Readonly<Record<number, number>>;
}

/** More than the number of forms open concurrently. */
const CONNECTIONS = 120;

const { url, host, path, networks } = JSON.parse(process.env['ROBOT_JOB'] ?? '') as RobotJob;
const statuses: Record<number, number> = {};
let sent = 0;

async function send(count: number): Promise<void> {
  const given = { '-Name': `Robot ${String(count)}`, [OPENED_FIELD]: String(Date.now() - 60_000) };
  const headers = {
    host,
    'content-type': 'application/x-www-form-urlencoded',
    'x-forwarded-for': `2001:db8:${(count % networks).toString(16)}:1::1`,
  };
  const body = new URLSearchParams(given).toString();
  const { status } = await sendRequest(url, { method: 'POST', path, headers, body });
  statuses[status] = (statuses[status] ?? 0) + 1;
}

process.once('disconnect', () => process.exit());
process.on('message', (until: number) => {
  const connection = async () => {
    while (sent < until) await send((sent += 1));
  };
  void Promise.all(Array.from({ length: CONNECTIONS }, connection)).then(() => process.send?.({ sent, statuses }));
});
