import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { ToolServerReturn } from '#components/access/tool-server-return';
import { translator } from '#components/i18n.ts';
import { toolServerAnswer } from '#server/core/admin/mcp-servers';
import { pageQuery, requirePage } from '#server/http/page-access';
import { mcpServerParams } from '#server/http/schemas/settings';

const t = translator('access.toolServer');

export const generateMetadata = (): Metadata => ({ title: t('title'), robots: { index: false } });

/** Fields of an answer. An authorization server may send more. */
const FIELDS = ['state', 'code', 'iss', 'error'];

/**
 * The page to which an authorization server sends the browser back, after a person has signed in to a tool server. Opening
 * it has no effect: the page sends the answer itself, so that it counts only in the browser that began.
 */
export default async function ToolServerPage({ params }: { readonly params: Promise<unknown> }) {
  await requirePage('admin');
  const server = mcpServerParams.safeParse(await params);
  if (!server.success) notFound();
  const query = [...new URLSearchParams(await pageQuery())].filter(([name]) => FIELDS.includes(name));
  const answer = toolServerAnswer.safeParse(Object.fromEntries(query));
  return <ToolServerReturn id={server.data.id} answer={answer.data ?? null} />;
}
