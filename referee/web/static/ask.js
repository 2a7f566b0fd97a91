// Asks the server, and raises what it refuses.

export async function ask(path, body, method = body === undefined ? "GET" : "POST") {
  const answer = await fetch(path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
  if (answer.status === 204) return null;
  const found = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (!answer.ok) throw new Error(found.error);
  return found;
}
