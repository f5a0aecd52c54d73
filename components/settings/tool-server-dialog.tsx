import clsx from 'clsx';
import { Plus, X } from 'lucide-react';
import { useId, useState } from 'react';
import { api } from '#components/api/api-client';
import { issuesOf, messageOf } from '#components/api/api-error';
import { TestOutcome, type TestResult, useTest } from '#components/ui/test-outcome';
import { settingsStrings } from '#components/settings/words';
import { Button, IconButton, Switch } from '#components/ui/buttons';
import { Field, fieldLook, formFieldLook } from '#components/ui/fields';
import { focusWhenShown } from '#components/ui/focus';
import { passOnFocus } from '#components/ui/pass-on-focus';
import { SubmitDialog, useSubmit } from '#components/ui/submit';
import type { McpServerReport, McpServersReport, McpTest, McpTransportInput } from '#server/core/mcp-servers';
import type { ToolPolicy } from '#server/core/settings-report';

const all = settingsStrings.toolServers;
const { form: dialogText } = all;

interface ToolServerDialogProps {
  /** Null: a new one. */
  readonly server: McpServerReport | null;
  readonly canRunPrograms: boolean;
  readonly onSaved: (report: McpServersReport) => void;
  readonly onClose: () => void;
}

/** A tool server, to add or to change. */
export function ToolServerDialog({ server, canRunPrograms, onSaved, onClose }: ToolServerDialogProps) {
  const [draft, setDraft] = useState(() => toDraft(server));
  const [isChanged, setIsChanged] = useState(false);
  const submit = useSubmit(toolServerProblem);
  const test = useTest<McpTest>(toolServerProblem);
  /** Fields that the server refused, as `refusedFields` names them. */
  const [refused, setRefused] = useState<readonly string[]>([]);
  const change = (changes: Partial<ToolServerDraft>) => {
    setDraft({ ...draft, ...changes });
    setIsChanged(true);
    setRefused(refused.filter((field) => !Object.keys(changes).some((key) => field.startsWith(key))));
    submit.clear();
    if (Object.keys(changes).some((key) => key !== 'name' && key !== 'policy')) test.forget();
  };

  const save = () =>
    submit.run(async () => {
      const { name, policy } = draft;
      const transport = toTransport(draft);
      try {
        onSaved(
          server
            ? await api.toolServers.change(server.id, { name, policy, transport })
            : await api.toolServers.add({ name, policy, transport, isEnabled: true }),
        );
      } catch (error) {
        setRefused(refusedFields(error));
        throw error;
      }
    });

  return (
    <SubmitDialog
      title={server ? dialogText.editTitle(server.name) : dialogText.addTitle}
      width="wide"
      save={dialogText.save}
      saving={dialogText.saving}
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
          {test.isTesting ? all.testing : dialogText.test}
        </Button>
      }
    >
      <Field label={dialogText.name} hint={dialogText.nameHint}>
        {(ids) => (
          <input
            {...ids}
            value={draft.name}
            aria-invalid={refused.includes('name')}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change({ name: event.target.value })}
            className={formFieldLook}
          />
        )}
      </Field>
      <Choice label={dialogText.kind}>
        <Switch label={dialogText.kind} value={draft.type} choices={all.kinds} onChange={(type) => change({ type })} />
      </Choice>
      {draft.type === 'stdio' ? (
        <ProgramFields draft={draft} refused={refused} canRunPrograms={canRunPrograms} onChange={change} />
      ) : (
        <AddressFields draft={draft} refused={refused} onChange={change} />
      )}
      <Choice label={all.policy}>
        <Switch
          label={all.policy}
          value={draft.policy}
          choices={all.policies}
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
      <Field label={dialogText.url}>
        {(ids) => (
          <input
            {...ids}
            type="url"
            value={draft.url}
            aria-invalid={refused.includes('url')}
            placeholder="https://"
            onChange={(event) => onChange({ url: event.target.value })}
            className={formFieldLook}
          />
        )}
      </Field>
      <SecretsField
        label={dialogText.headers}
        add={dialogText.addHeader}
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
      <Field label={dialogText.command} hint={canRunPrograms ? dialogText.commandHint : dialogText.programsOff}>
        {(ids) => (
          <input
            {...ids}
            value={draft.command}
            aria-invalid={refused.includes('command')}
            spellCheck={false}
            onChange={(event) => onChange({ command: event.target.value })}
            className={clsx(formFieldLook, 'font-mono')}
          />
        )}
      </Field>
      <Field label={dialogText.args}>
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            value={draft.args}
            spellCheck={false}
            onChange={(event) => onChange({ args: event.target.value })}
            className={clsx(formFieldLook, 'h-auto py-2 font-mono')}
          />
        )}
      </Field>
      <SecretsField
        label={dialogText.env}
        add={dialogText.addVariable}
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

const formText = settingsStrings.toolServers.form;
const inputLook = clsx(fieldLook, 'w-full min-w-0 border-rule-strong font-mono text-sm');

interface SecretsFieldProps {
  readonly label: string;
  /** Label of the button that adds a pair. */
  readonly add: string;
  readonly pairs: readonly SecretPair[];
  /** Names of those that were refused. */
  readonly refused: readonly string[];
  readonly onChange: (pairs: readonly SecretPair[]) => void;
}

/** Names with values that are written and never read. */
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
              aria-label={formText.pairName(index + 1)}
              value={name}
              readOnly={isStored}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change(key, { name: event.target.value })}
              className={clsx(inputLook, 'basis-2/5 read-only:bg-ink/4')}
            />
            <input
              aria-label={formText.pairValue(name || formText.pairName(index + 1))}
              value={value}
              placeholder={isStored ? formText.stored : undefined}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change(key, { value: event.target.value })}
              className={clsx(inputLook, 'basis-3/5')}
            />
            <IconButton
              label={formText.removePair(name || formText.pairName(index + 1))}
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
        {formText.secretHint}
      </p>
    </fieldset>
  );
}

const text = settingsStrings.toolServers;

/** Result of testing a tool server. */
export function ToolServerOutcome({ result }: { readonly result: TestResult<McpTest> }) {
  return (
    <TestOutcome result={result} latencyMs={result?.ok ? result.latencyMs : null}>
      {result && (result.ok ? text.answers(result.tools ?? 0, result.tokens ?? 0) : result.message)}
    </TestOutcome>
  );
}

/** A header or variable as it is typed; a kept value is not known here. */
export interface SecretPair {
  readonly key: number;
  readonly name: string;
  readonly value: string;
  /** Stored on the server, and kept while nothing is typed. */
  readonly isStored: boolean;
}

/** A tool server as it is typed. */
export interface ToolServerDraft {
  readonly name: string;
  readonly type: 'http' | 'sse' | 'stdio';
  readonly url: string;
  readonly headers: readonly SecretPair[];
  readonly command: string;
  /** One per line. */
  readonly args: string;
  readonly env: readonly SecretPair[];
  readonly policy: ToolPolicy;
}

let nextKey = 0;
export const emptyPair = (): SecretPair => ({ key: (nextKey += 1), name: '', value: '', isStored: false });
const storedPairs = (names: readonly string[]) =>
  names.map((name): SecretPair => ({ key: (nextKey += 1), name, value: '', isStored: true }));

/** @param server null: a new one */
export function toDraft(server: McpServerReport | null): ToolServerDraft {
  const empty = { url: '', headers: [], command: '', args: '', env: [] };
  if (!server) return { ...empty, name: '', type: 'http', policy: 'ask' };
  const { name, policy, transport } = server;
  if (transport.type === 'stdio') {
    const { type, command, args, env } = transport;
    return { ...empty, name, policy, type, command, args: args.join('\n'), env: storedPairs(env) };
  }
  const { type, url, headers } = transport;
  return { ...empty, name, policy, type, url, headers: storedPairs(headers) };
}

/** Connection of the server, in the form the API takes. */
export function toTransport({ type, url, headers, command, args, env }: ToolServerDraft): McpTransportInput {
  if (type !== 'stdio') return { type, url: url.trim(), headers: toRecord(headers) };
  const lines = args.split('\n').filter((line) => line.trim() !== '');
  return { type, command: command.trim(), args: lines, env: toRecord(env) };
}

function toRecord(pairs: readonly SecretPair[]): Record<string, string | null> {
  const named = pairs.filter(({ name }) => name.trim() !== '');
  return Object.fromEntries(
    named.map(({ name, value, isStored }) => [name.trim(), isStored && value === '' ? null : value]),
  );
}

/** Reason why a server was refused, with the label of the field. */
export function toolServerProblem(error: unknown): string {
  const message = messageOf(error);
  const { name, url, command, args, headers, env } = settingsStrings.toolServers.form;
  const labels: Readonly<Record<string, string>> = { name, url, command, args, headers, env };
  return message.replace(
    /^Invalid body, "(?:transport\.)?(\w+)[^"]*": /,
    (_, field: string) => `${labels[field] ?? field}: `,
  );
}

/** Fields that a refusal is about, as a draft names them; of a header or variable with its name: `headers.X-Team`. */
export function refusedFields(error: unknown): readonly string[] {
  const issues = issuesOf(error) as readonly { readonly path: string }[];
  return issues.map(({ path }) => path.replace(/^transport\./, ''));
}
