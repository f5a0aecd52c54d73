import { translator } from '#components/i18n.ts';
import { Mutex } from 'async-mutex';
import clsx from 'clsx';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { HelpedSection } from '#components/ui/help-section';
import { ToolServerDialog, ToolServerOutcome } from '#components/settings/tool-server-dialog';
import { localizedText } from '#components/message-text.ts';
import { useTest } from '#components/ui/test-outcome';
import { Toggle } from '#components/ui/controls/toggle';
import { Disclosure } from '#components/ui/controls/disclosure';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { SavedSwitch } from '#components/ui/controls/saved-switch';
import { useOpened } from '#components/ui/hooks.ts';
import { NotLoaded } from '#components/ui/notices';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { useApi } from '#components/api/use-api.ts';
import type {
  McpServerInput,
  McpServerReport,
  McpServersReport,
  McpTest,
  McpToolReport,
} from '#server/core/admin/mcp-servers';

const texts = translator('settings.toolServers');

/** Polling interval while a server is not connected; milliseconds. */
const REFRESH_INTERVAL_MS = 1_500;

/** Section about the MCP servers whose tools the assistant has in addition to the built-in ones. */
export function ToolServersSection() {
  const { data, error, mutate } = useApi(paths.toolServers, {
    refreshInterval: (report) =>
      report?.items.some(({ status }) => status === 'connecting' || status === 'failed') ? REFRESH_INTERVAL_MS : 0,
  });
  /** The server that the dialog changes; null: a new one. */
  const dialog = useOpened<McpServerReport | null>();
  const showReport = (report: McpServersReport) => void mutate(report, { revalidate: false });
  return (
    <HelpedSection name="tool-servers" title={texts('title')} body={texts('body')}>
      <div className="border-t border-rule">
        {data ? (
          <>
            {data.items.length === 0 && (
              <p className="border-b border-rule py-5 text-sm text-ink-2">{texts('empty')}</p>
            )}
            <ul>
              {data.items.map((server) => (
                <li key={server.id} ref={passOnFocus}>
                  <ToolServerRow
                    server={server}
                    onEdit={() => dialog.open(server)}
                    onReport={showReport}
                    onRemoved={() => void mutate()}
                  />
                </li>
              ))}
            </ul>
            <div className="mt-4 flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
              <Button className="h-9" onClick={() => dialog.open(null)}>
                <Plus aria-hidden className="size-4" />
                {texts('add')}
              </Button>
              <DefinitionCost report={data} />
            </div>
          </>
        ) : (
          <NotLoaded title={texts('loadFailed')} error={error} onRetry={() => mutate()} />
        )}
      </div>
      {data && dialog.opened && (
        <ToolServerDialog
          server={dialog.opened.target}
          canRunPrograms={data.canRunPrograms}
          onSaved={(report) => {
            showReport(report);
            dialog.close();
          }}
          onClose={dialog.close}
        />
      )}
    </HelpedSection>
  );
}

/** Token cost of the tool definitions, and how they are sent to a model. */
function DefinitionCost({ report: { items, tokens, limit } }: { readonly report: McpServersReport }) {
  if (items.length === 0) return null;
  return (
    <div className="max-w-[52ch] min-w-0 flex-1 basis-64 text-xs text-ink-2">
      <p>{tokens > limit ? texts('onDemand', { tokens, limit }) : texts('total', { tokens })}</p>
      <p className="mt-1 text-ink-3">{texts('share')}</p>
      <p className="mt-1 text-ink-3">{texts('hint')}</p>
    </div>
  );
}

/** Sends changes one after the other, so that the last response, which covers all servers, is the newest. */
const requests = new Mutex();

interface ToolServerRowProps {
  readonly server: McpServerReport;
  readonly onEdit: () => void;
  readonly onReport: (report: McpServersReport) => void;
  readonly onRemoved: () => void;
}

/** One tool server: state, cost, and permissions of its tools. */
function ToolServerRow({ server, onEdit, onReport, onRemoved }: ToolServerRowProps) {
  const { id, name, policy, isEnabled, status, problem, problemMessage, signIn, tools, tokens } = server;
  const [isRemoving, setIsRemoving] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);
  const [isSigningOut, setIsSigningOut] = useState(false);
  const test = useTest<McpTest>();

  const change = (changes: Partial<McpServerInput>) =>
    requests.runExclusive(() => api.toolServers.change(id, changes)).then(onReport, reportFailure);
  /** The browser goes to a page of the server, and comes back to one of ours. */
  const connect = () => {
    setIsLeaving(true);
    api.toolServers.beginSignIn(id).then(
      ({ address }) => window.location.assign(address),
      (error: unknown) => {
        setIsLeaving(false);
        reportFailure(error);
      },
    );
  };
  const signOut = () => {
    setIsSigningOut(true);
    const signedOut = requests.runExclusive(() => api.toolServers.signOut(id));
    void signedOut.then(onReport, reportFailure).finally(() => setIsSigningOut(false));
  };
  const remove = () => {
    api.toolServers.remove(id).then(onRemoved, reportFailure);
  };

  return (
    <article aria-label={name} className="border-b border-rule py-5">
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="flex flex-wrap items-baseline gap-x-3 text-base font-medium">
            {name}
            <span
              className={clsx(
                'text-xs font-normal',
                status === 'ready' ? 'text-accent' : status === 'failed' ? 'text-red' : 'text-ink-3',
              )}
            >
              {texts(`status.${status}`)}
            </span>
          </h3>
          <p className="mt-0.5 text-sm text-ink-2 tabular-nums">{texts('cost', { tools: tools.length, tokens })}</p>
          <p className="mt-0.5 font-mono text-2xs break-all text-ink-3">{whereOf(server)}</p>
        </div>
        <Toggle
          aria-label={texts('enabledOf', { name })}
          checked={isEnabled}
          onCheckedChange={(isOn) => void change({ isEnabled: isOn })}
        />
      </div>
      {problem !== null && (
        <p className="mt-2 text-sm break-words whitespace-pre-line text-red">
          {localizedText(problemMessage, problem)}
        </p>
      )}
      <div className="mt-3 flex flex-wrap items-center gap-x-6 gap-y-2">
        <div className="flex items-center gap-2.5 text-sm text-ink-2">
          {texts('policy')}
          <SavedSwitch
            label={texts('policyOf', { name })}
            value={policy}
            choices={{ always: texts('policies.always'), ask: texts('policies.ask'), off: texts('policies.off') }}
            onChange={(next) => change({ policy: next })}
          />
        </div>
        <div className="flex flex-wrap gap-1">
          {signIn === 'needed' && (
            <Button variant="primary" isBusy={isLeaving} aria-label={texts('connectOf', { name })} onClick={connect}>
              {texts('connect')}
            </Button>
          )}
          {signIn === 'connected' && (
            <div ref={passOnFocus}>
              <Button variant="ghost" isBusy={isSigningOut} aria-label={texts('signOutOf', { name })} onClick={signOut}>
                {texts('signOut')}
              </Button>
            </div>
          )}
          <div className="flex flex-wrap gap-1">
            <Button
              variant="ghost"
              aria-label={texts('testOf', { name })}
              isBusy={test.isTesting}
              onClick={() => void test.run(() => api.toolServers.test(id))}
            >
              {test.isTesting ? texts('testing') : texts('test')}
            </Button>
            <Button variant="ghost" aria-label={texts('editOf', { name })} onClick={onEdit}>
              {texts('edit')}
            </Button>
            <Button variant="ghost" aria-label={texts('removeOf', { name })} onClick={() => setIsRemoving(true)}>
              {texts('remove')}
            </Button>
          </div>
        </div>
      </div>
      <ToolServerOutcome result={test.result} />
      {tools.length > 0 && <Tools tools={tools} />}
      <ConfirmDialog
        open={isRemoving}
        onOpenChange={setIsRemoving}
        title={texts('removeTitle', { name })}
        body={texts('removeBody')}
        confirm={texts('remove')}
        onConfirm={remove}
      />
    </article>
  );
}

function whereOf({ transport }: McpServerReport): string {
  return transport.type === 'stdio' ? [transport.command, ...transport.args].join(' ') : transport.url;
}

/** Tools of the server; their policies are set with those of the built-in tools. */
function Tools({ tools }: { readonly tools: readonly McpToolReport[] }) {
  return (
    <Disclosure title={texts('tools', { count: tools.length })}>
      <ul className="mt-2 overflow-hidden rounded-lg border border-rule bg-sheet">
        {tools.map(({ name, title, description, policy, isOverridden, tokens }) => (
          <li key={name} className="border-b border-rule px-4 py-2.5 last:border-b-0">
            <p className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
              <span className="font-medium break-all">{title}</span>
              <span className="text-xs text-ink-2 tabular-nums">
                {texts(`toolPolicies.${policy}`)}
                {isOverridden && ` (${texts('overridden')})`} · {texts('tokens', { tokens })}
              </span>
            </p>
            <p className="line-clamp-2 text-xs text-ink-2">{description}</p>
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}
