import { translator } from '#components/i18n.ts';
import clsx from 'clsx';
import { Plus, X } from 'lucide-react';
import { useId, useState } from 'react';
import { api } from '#components/api/api-client.ts';
import { localizedText } from '#components/message-text.ts';
import { TestOutcome, type TestResult, useTest } from '#components/ui/test-outcome';
import { nameOfSite, useSites } from '#components/workspace/site-of-page';
import { Switch } from '#components/ui/controls/choices';
import { Button, IconButton } from '#components/ui/buttons';
import { Field, fieldStyle, formFieldStyle } from '#components/ui/fields';
import { focusWhenShown } from '#components/ui/focus/focus.ts';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { SubmitDialog, useSubmit } from '#components/ui/dialogs/submit';
import type { McpServerReport, McpServersReport, McpTest } from '#server/core/admin/mcp-servers';
import {
  type SecretPair,
  type ToolServerDraft,
  emptyPair,
  refusedFields,
  toDraft,
  toTransport,
  toolServerProblem,
} from '#components/settings/tool-server-draft.ts';

const texts = translator('settings.toolServers');
const formText = translator('settings.toolServers.form');

interface ToolServerDialogProps {
  /** Null for a new server. */
  readonly server: McpServerReport | null;
  /** False if the server may not start local programs. */
  readonly canRunPrograms: boolean;
  readonly onSaved: (report: McpServersReport) => void;
  readonly onClose: () => void;
}

/** Dialog to add or change an MCP server, with a connection test. */
export function ToolServerDialog({ server, canRunPrograms, onSaved, onClose }: ToolServerDialogProps) {
  const [draft, setDraft] = useState(() => toDraft(server));
  const [isChanged, setIsChanged] = useState(false);
  const sites = useSites().items;
  const submit = useSubmit(toolServerProblem);
  const test = useTest<McpTest>(toolServerProblem);
  /** Fields that the server refused, named as by `refusedFields`. */
  const [refused, setRefused] = useState<readonly string[]>([]);
  const change = (changes: Partial<ToolServerDraft>) => {
    setDraft({ ...draft, ...changes });
    setIsChanged(true);
    setRefused(refused.filter((field) => !Object.keys(changes).some((key) => field.startsWith(key))));
    submit.clear();
    if (Object.keys(changes).some((key) => !['name', 'policy', 'siteId'].includes(key))) test.forget();
  };

  const save = () =>
    submit.run(async () => {
      const { name, policy, siteId } = draft;
      const transport = toTransport(draft);
      try {
        onSaved(
          server
            ? await api.toolServers.change(server.id, { name, policy, siteId, transport })
            : await api.toolServers.add({ name, policy, siteId, transport, isEnabled: true }),
        );
      } catch (error) {
        setRefused(refusedFields(error));
        throw error;
      }
    });

  return (
    <SubmitDialog
      title={server ? formText('editTitle', { name: server.name }) : formText('addTitle')}
      width="wide"
      save={formText('save')}
      saving={formText('saving')}
      submit={submit}
      isChanged={isChanged}
      onSubmit={() => void save()}
      onClose={onClose}
      outcome={<ToolServerOutcome result={test.result} />}
      extra={
        <Button
          className="mr-auto"
          isBusy={test.isTesting}
          onClick={() => void test.run(() => api.toolServers.test(server?.id ?? null, toTransport(draft)))}
        >
          {test.isTesting ? texts('testing') : formText('test')}
        </Button>
      }
    >
      <Field label={formText('name')} hint={formText('nameHint')}>
        {(ids) => (
          <input
            {...ids}
            value={draft.name}
            aria-invalid={refused.includes('name')}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change({ name: event.target.value })}
            className={formFieldStyle}
          />
        )}
      </Field>
      <Choice label={formText('kind')}>
        <Switch
          label={formText('kind')}
          value={draft.type}
          choices={{ http: texts('kinds.http'), sse: texts('kinds.sse'), stdio: texts('kinds.stdio') }}
          onChange={(type) => change({ type })}
        />
      </Choice>
      {draft.type === 'stdio' ? (
        <ProgramFields draft={draft} refused={refused} canRunPrograms={canRunPrograms} onChange={change} />
      ) : (
        <AddressFields draft={draft} refused={refused} onChange={change} />
      )}
      {sites.length > 1 && (
        <Field label={formText('site')} hint={formText('siteHint')}>
          {(ids) => (
            <select
              {...ids}
              value={draft.siteId ?? ''}
              onChange={(event) => change({ siteId: event.target.value === '' ? null : event.target.value })}
              className={formFieldStyle}
            >
              <option value="">{formText('allSites')}</option>
              {sites.map((site) => (
                <option key={site.id} value={site.id}>
                  {nameOfSite(site)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Choice label={texts('policy')}>
        <Switch
          label={texts('policy')}
          value={draft.policy}
          choices={{ always: texts('policies.always'), ask: texts('policies.ask'), off: texts('policies.off') }}
          onChange={(policy) => change({ policy })}
        />
      </Choice>
    </SubmitDialog>
  );
}

interface FieldsProps {
  readonly draft: ToolServerDraft;
  readonly refused: readonly string[];
  readonly onChange: (changes: Partial<ToolServerDraft>) => void;
}

function AddressFields({ draft, refused, onChange }: FieldsProps) {
  return (
    <>
      <Field label={formText('url')}>
        {(ids) => (
          <input
            {...ids}
            type="url"
            value={draft.url}
            aria-invalid={refused.includes('url')}
            placeholder="https://"
            onChange={(event) => onChange({ url: event.target.value })}
            className={formFieldStyle}
          />
        )}
      </Field>
      <SecretsField
        label={formText('headers')}
        add={formText('addHeader')}
        pairs={draft.headers}
        refused={refused.map((field) => field.replace(/^headers\./, ''))}
        onChange={(headers) => onChange({ headers })}
      />
    </>
  );
}

function ProgramFields({
  draft,
  refused,
  canRunPrograms,
  onChange,
}: FieldsProps & { readonly canRunPrograms: boolean }) {
  return (
    <>
      <Field label={formText('command')} hint={canRunPrograms ? formText('commandHint') : formText('programsOff')}>
        {(ids) => (
          <input
            {...ids}
            value={draft.command}
            aria-invalid={refused.includes('command')}
            spellCheck={false}
            onChange={(event) => onChange({ command: event.target.value })}
            className={clsx(formFieldStyle, 'font-mono')}
          />
        )}
      </Field>
      <Field label={formText('args')}>
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            value={draft.args}
            spellCheck={false}
            onChange={(event) => onChange({ args: event.target.value })}
            className={clsx(formFieldStyle, 'h-auto py-2 font-mono')}
          />
        )}
      </Field>
      <SecretsField
        label={formText('env')}
        add={formText('addVariable')}
        pairs={draft.env}
        refused={refused.map((field) => field.replace(/^env\./, ''))}
        onChange={(env) => onChange({ env })}
      />
    </>
  );
}

function Choice({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <p aria-hidden className="mb-1 text-sm font-medium">
        {label}
      </p>
      <div className="flex">{children}</div>
    </div>
  );
}

const inputStyle = clsx(fieldStyle, 'w-full min-w-0 border-rule-strong font-mono text-sm');

interface SecretsFieldProps {
  readonly label: string;
  /** Label of the button that adds a pair. */
  readonly add: string;
  readonly pairs: readonly SecretPair[];
  /** Names of refused pairs. */
  readonly refused: readonly string[];
  readonly onChange: (pairs: readonly SecretPair[]) => void;
}

/** Names with secret values, which can be set but not read. */
function SecretsField({ label, add, pairs, refused, onChange }: SecretsFieldProps) {
  const id = useId();
  const [newest, setNewest] = useState<number | null>(null);
  const addPair = () => {
    const pair = emptyPair();
    setNewest(pair.key);
    onChange([...pairs, pair]);
  };
  const change = (key: number, changes: Partial<SecretPair>) =>
    onChange(pairs.map((pair) => (pair.key === key ? { ...pair, ...changes } : pair)));
  return (
    <fieldset aria-describedby={`${id}-hint`}>
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <ul className="flex flex-col gap-2">
        {pairs.map(({ key, name, value, isStored }, index) => (
          <li key={key} ref={passOnFocus} className="flex items-center gap-2">
            <input
              ref={key === newest ? focusWhenShown : undefined}
              aria-invalid={name.trim() !== '' && refused.includes(name.trim())}
              aria-label={formText('pairName', { place: index + 1 })}
              value={name}
              readOnly={isStored}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change(key, { name: event.target.value })}
              className={clsx(inputStyle, 'basis-2/5 read-only:bg-ink/4')}
            />
            <input
              aria-label={formText('pairValue', { name: name || formText('pairName', { place: index + 1 }) })}
              value={value}
              placeholder={isStored ? formText('stored') : undefined}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change(key, { value: event.target.value })}
              className={clsx(inputStyle, 'basis-3/5')}
            />
            <IconButton
              label={formText('removePair', { name: name || formText('pairName', { place: index + 1 }) })}
              icon={<X aria-hidden />}
              onClick={() => onChange(pairs.filter((pair) => pair.key !== key))}
            />
          </li>
        ))}
      </ul>
      <Button className={clsx(pairs.length > 0 && 'mt-2')} onClick={addPair}>
        <Plus aria-hidden className="size-4" />
        {add}
      </Button>
      <p id={`${id}-hint`} className="mt-1.5 text-xs text-ink-3">
        {formText('secretHint')}
      </p>
    </fieldset>
  );
}

/** Result of testing a tool server. */
export function ToolServerOutcome({ result }: { readonly result: TestResult<McpTest> }) {
  return (
    <TestOutcome result={result} latencyMs={result?.ok ? result.latencyMs : null}>
      {result &&
        (result.ok
          ? texts('answers', { tools: result.tools ?? 0, tokens: result.tokens ?? 0 })
          : localizedText(result.reason, result.message))}
    </TestOutcome>
  );
}
