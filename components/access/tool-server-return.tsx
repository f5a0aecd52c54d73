'use client';

import { useEffect, useRef, useState } from 'react';
import { AccessCard, AccessLink } from '#components/access/access-form';
import { accessProblem } from '#components/access/access-problem.ts';
import { api } from '#components/api/api-client.ts';
import { translator } from '#components/i18n.ts';
import { Problem } from '#components/ui/dialogs/submit';
import { settingsSectionPath } from '#components/workspace/settings-pages.ts';
import type { ToolServerAnswer } from '#server/core/admin/mcp-servers';

const t = translator('access.toolServer');

interface ToolServerReturnProps {
  readonly id: string;
  /** Answer of the authorization server; null: it is not one. */
  readonly answer: ToolServerAnswer | null;
}

/** Ends a sign-in to a tool server, and goes on to its settings. */
export function ToolServerReturn({ id, answer }: ToolServerReturnProps) {
  const [problem, setProblem] = useState(() => (answer === null ? t('noAnswer') : null));
  const isSent = useRef(false);
  useEffect(() => {
    // An answer counts once, and React runs effects twice in development.
    if (isSent.current || answer === null) return;
    isSent.current = true;
    api.toolServers.finishSignIn(id, answer).then(
      () => window.location.replace(settingsSectionPath('tool-servers')),
      (error: unknown) => setProblem(accessProblem(error)),
    );
  }, [id, answer]);
  return (
    <AccessCard title={problem === null ? t('title') : t('failed')}>
      <Problem text={problem} className="mt-3 [overflow-wrap:anywhere]" />
      {problem !== null && <AccessLink href={settingsSectionPath('tool-servers')}>{t('back')}</AccessLink>}
    </AccessCard>
  );
}
