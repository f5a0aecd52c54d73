import { strings } from '#lib/strings';

/**
 * An answer of our REST API that is not a success, or (`code` `network`, `status` 0) no answer at all.
 * `message` is for the user; `code` is the contract's stable code.
 */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
  }

  /** No server answered. */
  static network(cause: unknown): ApiError {
    return new ApiError('network', strings.errors.network, 0, cause);
  }

  /** Reads `{error: {code, message}}`; anything else becomes a generic message with the status. */
  static async fromResponse(response: Response): Promise<ApiError> {
    const body: unknown = await response.json().catch(() => null);
    const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {};
    const { code, message } = error;
    return new ApiError(
      typeof code === 'string' ? code : 'unexpected',
      typeof message === 'string' ? message : strings.errors.unexpected(response.status),
      response.status,
    );
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
