import { toast } from 'sonner';
import { api } from '#components/api/api-client.ts';
import { downloadFile } from '#components/api/download-file.ts';
import { paths } from '#components/api/paths.ts';
import { fileSize } from '#components/format.ts';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { CopyButton } from '#components/ui/controls/copy-button';
import { Problem, useSubmit } from '#components/ui/dialogs/submit';
import { HelpedSection } from '#components/ui/help-section';
import type { ProcessSetting } from '#server/core/admin/settings-report';

const PRODUCT = 'Throughline';
const NODE = 'Node.js';

const tVersion = translator('settings.version');
const tLogs = translator('settings.logs');
const tBackup = translator('settings.backup');

/** The running version. */
export interface SystemVersion {
  /** Version of Throughline: `0.2.0`. */
  readonly version: string;
  /** Version of Node.js: `v24.11.1`. */
  readonly node: string;
}

/** The running version, for a report of a problem and for an update. */
export function VersionSection({ version, node }: SystemVersion) {
  return (
    <HelpedSection name="version" title={tVersion('title')} body={tVersion('body')}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 border-t border-rule py-5 text-sm">
        <dt className="text-ink-3">{PRODUCT}</dt>
        <dd className="tabular-nums">{version}</dd>
        <dd>
          <CopyButton text={`${PRODUCT} ${version}, ${NODE} ${node}`} label={tVersion('copy')} />
        </dd>
        <dt className="text-ink-3">{NODE}</dt>
        <dd className="col-span-2 tabular-nums">{node}</dd>
      </dl>
    </HelpedSection>
  );
}

interface ProcessProps {
  /** Environment variables of the server. */
  readonly settings: readonly ProcessSetting[];
}

const valueOf = (settings: readonly ProcessSetting[], variable: string) =>
  settings.find(({ name }) => name === variable)?.value ?? '';

/** Where the log of the server is: the process keeps none itself. */
export function LogsSection({ settings }: ProcessProps) {
  return (
    <HelpedSection name="logs" title={tLogs('title')} body={tLogs('body')}>
      <div className="border-t border-rule py-5 text-sm">
        <p className="mb-3">{tLogs('level', { level: valueOf(settings, 'LOG_LEVEL') })}</p>
        <Commands
          commands={{
            'journalctl -u throughline -n 200': tLogs('systemd'),
            'docker compose logs --tail 200 app': tLogs('container'),
          }}
        />
        <p className="mt-3 text-ink-2">{tLogs('terminal')}</p>
      </div>
    </HelpedSection>
  );
}

/** How a backup is made, or downloaded, and what it contains. */
export function BackupSection({ settings }: ProcessProps) {
  const isFile = valueOf(settings, 'DATABASE_URL').startsWith('file:');
  return (
    <HelpedSection name="backup" title={tBackup('title')} body={tBackup('body')}>
      <div className="border-t border-rule py-5 text-sm">
        {isFile && <BackupDownload />}
        <Commands
          commands={{ 'npm run backup': tBackup('make'), 'npm run restore -- backups/….db': tBackup('restore') }}
        />
        <p className="mt-4 font-medium">{tBackup('contains')}</p>
        <ul className="mt-1 max-w-[62ch] list-disc pl-5 text-ink-2">
          <li>{tBackup('data')}</li>
          <li>{tBackup('hashes')}</li>
          <li>{tBackup('secrets')}</li>
          <li>{tBackup(isFile ? 'key' : 'server')}</li>
          {isFile && <li>{tBackup('keyNotDownloaded')}</li>}
        </ul>
      </div>
    </HelpedSection>
  );
}

/** Has the server copy its database, then downloads the copy. */
function BackupDownload() {
  const submit = useSubmit();
  const download = async () => {
    const { id, bytes } = await api.request('POST', '/api/backups');
    downloadFile(paths.backup(id));
    toast(tBackup('downloading', { size: fileSize(bytes) }));
  };
  return (
    <div className="mb-5">
      <Button isBusy={submit.isBusy} onClick={() => void submit.run(download)}>
        {tBackup(submit.isBusy ? 'copying' : 'download')}
      </Button>
      <Problem text={submit.problem} className="mt-2" />
    </div>
  );
}

/** Commands for a terminal, each with what it does. */
function Commands({ commands }: { readonly commands: Readonly<Record<string, string>> }) {
  return (
    <dl className="flex flex-col gap-2">
      {Object.entries(commands).map(([command, does]) => (
        <div key={command}>
          <dt className="text-ink-2">{does}</dt>
          <dd className="flex items-center gap-2">
            <code className="min-w-0 rounded bg-ink/6 px-2 py-1 font-mono text-xs break-all">{command}</code>
            <CopyButton text={command} label={tBackup('copy', { command })} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
