const secretKeys = new Set(['p', 'password', 'pass', 'pwd', 'token']);
const loginPath = /^(\/rest\/login\/[^/?]*\/)[^?]*/i;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // Not valid percent-encoding: compare it as it came.
    return text;
  }
}

function redactPair(pair: string): string {
  const equals = pair.indexOf('=');
  if (equals === -1) return pair;
  const key = decoded(pair.slice(0, equals)).toLowerCase();
  // A statement of InfluxQL may have a password in it.
  const isSecret = secretKeys.has(key) || (key === 'q' && /password/i.test(decoded(pair.slice(equals + 1))));
  return isSecret ? `${pair.slice(0, equals)}=***` : pair;
}

/**
 * A request URI fit for a log: values of password and token parameters, and the password segment of the login path,
 * are replaced. The path of a login written with percent-encoding is hidden as a whole.
 */
export function redactUri(uri: string): string {
  const question = uri.indexOf('?');
  const path = question === -1 ? uri : uri.slice(0, question);
  const query =
    question === -1
      ? ''
      : `?${uri
          .slice(question + 1)
          .split('&')
          .map(redactPair)
          .join('&')}`;
  return redactPath(path) + query;
}

function redactPath(path: string): string {
  if (loginPath.test(path)) return path.replace(loginPath, '$1***');
  return /login/i.test(decoded(path)) ? '/***' : path;
}
