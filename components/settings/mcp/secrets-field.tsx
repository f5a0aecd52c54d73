import clsx from 'clsx';
import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { Button } from '#components/ui/button';
import { fieldLook } from '#components/ui/field';
import { IconButton } from '#components/ui/icon-button';
import { emptyPair, type SecretPair } from '#lib/settings/tool-server-draft';
import { settingsStrings } from '#lib/strings/settings';

const text = settingsStrings.toolServers.form;
const inputLook = clsx(fieldLook, 'w-full min-w-0 border-rule-strong font-mono text-sm');

interface SecretsFieldProps {
  readonly label: string;
  /** What the button says that adds one. */
  readonly add: string;
  readonly pairs: readonly SecretPair[];
  readonly onChange: (pairs: readonly SecretPair[]) => void;
}

/** Names with values that are written and never read. */
export function SecretsField({ label, add, pairs, onChange }: SecretsFieldProps) {
  const id = useId();
  const change = (key: number, changes: Partial<SecretPair>) =>
    onChange(pairs.map((pair) => (pair.key === key ? { ...pair, ...changes } : pair)));
  return (
    <fieldset aria-describedby={`${id}-hint`}>
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <ul className="flex flex-col gap-2">
        {pairs.map(({ key, name, value, isStored }, index) => (
          <li key={key} className="flex items-center gap-2">
            <input
              aria-label={text.pairName(index + 1)}
              value={name}
              readOnly={isStored}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change(key, { name: event.target.value })}
              className={clsx(inputLook, 'basis-2/5 read-only:bg-ink/4')}
            />
            <input
              aria-label={text.pairValue(name || text.pairName(index + 1))}
              value={value}
              placeholder={isStored ? text.stored : undefined}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change(key, { value: event.target.value })}
              className={clsx(inputLook, 'basis-3/5')}
            />
            <IconButton
              label={text.removePair(name || text.pairName(index + 1))}
              icon={<X aria-hidden />}
              onClick={() => onChange(pairs.filter((pair) => pair.key !== key))}
            />
          </li>
        ))}
      </ul>
      <Button className={clsx(pairs.length > 0 && 'mt-2')} onClick={() => onChange([...pairs, emptyPair()])}>
        <Plus aria-hidden className="size-4" />
        {add}
      </Button>
      <p id={`${id}-hint`} className="mt-1.5 text-xs text-ink-3">
        {text.secretHint}
      </p>
    </fieldset>
  );
}
