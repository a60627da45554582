// Starts the client.
import { mount } from 'svelte';
import App from './App.svelte';
import { install } from './install';
import './styles/base.css';
import './styles/frame.css';

const target = document.getElementById('app');
if (target) mount(App, { target });
install();
