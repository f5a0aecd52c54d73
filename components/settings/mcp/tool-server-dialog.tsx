import clsx from 'clsx';
import { useState } from 'react';
import { Switch } from '#components/admin/switch';
import { SecretsField } from '#components/settings/mcp/secrets-field';
import { ToolServerOutcome } from '#components/settings/mcp/tool-server-outcome';
import { Button } from '#components/ui/button';
import { Field, formFieldLook } from '#components/ui/field';
import { FormDialog } from '#components/ui/form-dialog';
import { api } from '#lib/api/api-client';
import { toDraft, type ToolServerDraft, toolServerProblem, toTransport } from '#lib/settings/tool-server-draft';
import { useTest } from '#lib/settings/use-test';
import { settingsStrings } from '#lib/strings/settings';
import type { McpServerReport, McpServersReport, McpTest } from '#server/core/mcp-servers';

const { form: text, ...all } = settingsStrings.toolServers;

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
  const [problem, setProblem] = useState<string | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  const test = useTest<McpTest>();
  const change = (changes: Partial<ToolServerDraft>) => {
    setDraft({ ...draft, ...changes });
    setProblem(null);
    if (Object.keys(changes).some((key) => key !== 'name' && key !== 'policy')) test.forget();
  };

  const save = async () => {
    setIsSaving(true);
    setProblem(null);
    const { name, policy } = draft;
    const transport = toTransport(draft);
    try {
      const saved = server
        ? await api.toolServers.change(server.id, { name, policy, transport })
        : await api.toolServers.add({ name, policy, transport, isEnabled: true });
      onSaved(saved);
    } catch (error) {
      setProblem(toolServerProblem(error));
      setIsSaving(false);
    }
  };

  return (
    <FormDialog
      title={server ? text.editTitle(server.name) : text.addTitle}
      width="wide"
      save={isSaving ? text.saving : text.save}
      isBusy={isSaving}
      onSubmit={() => void save()}
      onClose={onClose}
      outcome={
        <div className="max-h-40 shrink-0 overflow-y-auto px-5 *:last:mb-3">
          <ToolServerOutcome result={test.result} />
          {problem !== null && (
            <p role="alert" className="mt-3 text-sm text-red">
              {problem}
            </p>
          )}
        </div>
      }
      extra={
        <Button
          className="mr-auto"
          disabled={test.isTesting}
          onClick={() => void test.run(() => api.toolServers.test(server?.id ?? null, toTransport(draft)))}
        >
          {test.isTesting ? all.testing : text.test}
        </Button>
      }
    >
      <Field label={text.name} hint={text.nameHint}>
        {(ids) => (
          <input
            {...ids}
            value={draft.name}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change({ name: event.target.value })}
            className={formFieldLook}
          />
        )}
      </Field>
      <Choice label={text.kind}>
        <Switch label={text.kind} value={draft.type} choices={all.kinds} onChange={(type) => change({ type })} />
      </Choice>
      {draft.type === 'stdio' ? (
        <ProgramFields draft={draft} canRunPrograms={canRunPrograms} onChange={change} />
      ) : (
        <AddressFields draft={draft} onChange={change} />
      )}
      <Choice label={all.policy}>
        <Switch
          label={all.policy}
          value={draft.policy}
          choices={all.policies}
          onChange={(policy) => change({ policy })}
        />
      </Choice>
    </FormDialog>
  );
}

interface FieldsProps {
  readonly draft: ToolServerDraft;
  readonly onChange: (changes: Partial<ToolServerDraft>) => void;
}

function AddressFields({ draft, onChange }: FieldsProps) {
  return (
    <>
      <Field label={text.url}>
        {(ids) => (
          <input
            {...ids}
            type="url"
            value={draft.url}
            placeholder="https://"
            onChange={(event) => onChange({ url: event.target.value })}
            className={formFieldLook}
          />
        )}
      </Field>
      <SecretsField
        label={text.headers}
        add={text.addHeader}
        pairs={draft.headers}
        onChange={(headers) => onChange({ headers })}
      />
    </>
  );
}

function ProgramFields({ draft, canRunPrograms, onChange }: FieldsProps & { readonly canRunPrograms: boolean }) {
  return (
    <>
      <Field label={text.command} hint={canRunPrograms ? text.commandHint : text.programsOff}>
        {(ids) => (
          <input
            {...ids}
            value={draft.command}
            spellCheck={false}
            onChange={(event) => onChange({ command: event.target.value })}
            className={clsx(formFieldLook, 'font-mono')}
          />
        )}
      </Field>
      <Field label={text.args}>
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
      <SecretsField label={text.env} add={text.addVariable} pairs={draft.env} onChange={(env) => onChange({ env })} />
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
