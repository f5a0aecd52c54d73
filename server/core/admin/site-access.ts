import type { Role } from '#server/core/admin/access-rights';

/* Which sites a person may work on: a list of their ids, or null for all sites. */

/** The sites of a person with this role: administrators may work on all of them. */
export function sitesFor(role: Role, sites: readonly string[] | null): readonly string[] | null {
  return role === 'admin' ? null : sites;
}

/** True if `sites` includes all of `others`. */
export function hasAllSites(sites: readonly string[] | null, others: readonly string[] | null): boolean {
  return sites === null || (others !== null && others.every((id) => sites.includes(id)));
}

/** True if a person with these sites may work on this site. */
export function includesSite(sites: readonly string[] | null, siteId: string): boolean {
  return sites === null || sites.includes(siteId);
}
