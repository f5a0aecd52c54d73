/** A redirect that an editor entered. */
export interface ManualRedirect {
  /** A path of the site: `/summer-sale`. */
  readonly from: string;
  /** Another path, or an absolute address. */
  readonly to: string;
}

/** Reads the redirects from the site's settings: one per line, `/summer-sale /offers`. Other lines are ignored. */
export function parseRedirects(text: string): ManualRedirect[] {
  return text.split('\n').flatMap((line) => {
    const [from, to] = line.trim().split(/\s+/);
    return from && to ? [{ from, to }] : [];
  });
}

/** Sets the target of one redirect in the text of the settings; null removes the redirect. */
export function withRedirect(text: string, from: string, to: string | null): string {
  const others = parseRedirects(text).filter((each) => each.from !== from);
  return [...others, ...(to === null ? [] : [{ from, to }])].map((each) => `${each.from} ${each.to}`).join('\n');
}
