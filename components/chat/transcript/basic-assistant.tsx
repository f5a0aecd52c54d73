import { Plug } from 'lucide-react';
import { translator } from '#components/i18n.ts';
import { useMe } from '#components/access/access-client.ts';
import { paths } from '#components/api/paths.ts';
import { chooseModel, useNextModel } from '#components/chat/models/model-choice.ts';
import { Button } from '#components/ui/buttons';
import dynamic from 'next/dynamic';
import { loadCode } from '#components/ui/load-code';
import { useOpened } from '#components/ui/hooks.ts';
import { useApi } from '#components/api/use-api.ts';

const t = translator('basicAssistant');

const ConnectDialog = dynamic(
  () => loadCode(async () => (await import('#components/providers/connect-dialog')).ConnectDialog),
  { ssr: false },
);

const BUILT_IN = 'built-in';

/** True if the basic assistant, which is no language model, answers the next message. False while loading. */
export function useBasicAssistant(sessionId: string | null): boolean {
  return useNextModel(sessionId)?.provider === BUILT_IN;
}

/** Explains to new users that the basic assistant answers, and links to the setup of a language model. */
export function BasicAssistantStrip() {
  const { data: models } = useApi(paths.models);
  const me = useMe();
  const dialog = useOpened();
  const hasModels = models?.items.some(({ provider }) => provider !== BUILT_IN);
  return (
    <aside
      aria-label={t('strip.title')}
      className="mb-5 rounded-xl border border-rule bg-accent-wash px-4 py-3 text-sm"
    >
      <p className="font-medium">{t('strip.title')}</p>
      <p className="mt-0.5 text-ink-2">{hasModels ? t('strip.choose') : t('strip.body')}</p>
      {!hasModels && me?.role === 'admin' && (
        <Button variant="primary" className="mt-3 h-9" onClick={() => dialog.open()}>
          <Plug aria-hidden className="size-4" />
          {t('strip.connect')}
        </Button>
      )}
      {!hasModels && me !== undefined && me.role !== 'admin' && <p className="mt-2 text-ink-2">{t('strip.ask')}</p>}
      {dialog.opened && (
        <ConnectDialog onConnected={(modelId) => void chooseModel(null, modelId)} onClose={dialog.close} />
      )}
    </aside>
  );
}
