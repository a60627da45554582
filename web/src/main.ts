// Starts the client.
import { mount } from 'svelte';
import App from './App.svelte';
import { install } from './install';
import './styles/base.css';
import './styles/frame.css';

// The first page is not part of what the others need; it is on its way while the frame is made.
if (location.pathname === '/') void import('./pages/Home.svelte').catch(() => {});

const target = document.getElementById('app');
if (target) mount(App, { target });
install();
