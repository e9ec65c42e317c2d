// The page of the HTTP interfaces: the description that the service gives of itself, and a form to try each of them.
globalThis.SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });

// Its style sheet has dark colours, but leaves it to the page when they are worn.
const scheme = matchMedia('(prefers-color-scheme: dark)');
const wear = () => document.documentElement.classList.toggle('dark-mode', scheme.matches);
scheme.addEventListener('change', wear);
wear();
