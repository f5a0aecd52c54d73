import { translator } from '#components/i18n.ts';
import { refusalText } from '#components/message-text.ts';
import { isCodedMessage } from '#server/core/message-data';

const t = translator('shared');

interface ApiErrorOptions {
  readonly cause?: unknown;
  readonly details?: unknown;
  readonly reason?: string | undefined;
}

/**
 * An unsuccessful response of our REST API or (`code` `network`, `status` 0) no response at all.
 *
 * `message` is for the user, in the language of the page if a translation exists; `code` is the stable code of the API
 * contract.
 */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  /** Details for programs; undefined if the server adds none. */
  readonly details: unknown;
  /** Code of the sentence `message`; undefined if it has none. */
  readonly reason: string | undefined;

  constructor(code: string, message: string, status: number, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.details = options.details;
    this.reason = options.reason;
  }

  /** No server answered. */
  static network(cause: unknown): ApiError {
    return new ApiError('network', t('errors.network'), 0, { cause });
  }

  /** Reads `{error: {code, message}}`; anything else becomes a generic message with the status. */
  static async fromResponse(response: Response): Promise<ApiError> {
    const body: unknown = await response.json().catch(() => null);
    const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {};
    const { code, message, reason, details } = error;
    return new ApiError(
      typeof code === 'string' ? code : 'unexpected',
      typeof message === 'string' ? refusalText(reason, message) : t('errors.unexpected', { status: response.status }),
      response.status,
      { details, reason: isCodedMessage(reason) ? reason.code : undefined },
    );
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** HTTP status of a thrown ApiError; 0 if there was no response or something else was thrown. */
export function statusOf(error: unknown): number {
  return error instanceof ApiError ? error.status : 0;
}

/**
 * True if a later attempt may succeed: no server answered (0), the server failed, or it is overloaded. Other refusals
 * are final.
 */
export function mayPass(status: number): boolean {
  return status === 0 || status >= 500 || status === 408 || status === 425 || status === 429;
}

/** True for the answer of a server that refused a request: nothing was done. False if what was done is unknown. */
export function wasRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}

/** Message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The problem of one field, in the language of the page. */
interface FieldIssue {
  readonly path: string;
  readonly message: string;
}

/** The problems of single fields in a response that refuses a form; [] for all other errors. */
export function issuesOf(error: unknown): readonly FieldIssue[] {
  const details = error instanceof ApiError ? error.details : null;
  const issues: unknown = isRecord(details) ? details['issues'] : null;
  if (!Array.isArray(issues)) return [];
  return issues.filter(isRecord).map((issue) => ({
    ...issue,
    path: String(issue['path']),
    message: refusalText(issue['reason'], String(issue['message'])),
  }));
}
